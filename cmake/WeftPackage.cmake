# The Debian package: `tools/package.sh`, or `cpack -G DEB` in a build folder in which weft and rtl are built.
# It holds the component `runtime`: the command, the libraries that it loads, manual pages and completion, but
# neither headers nor static libraries.
set(WEFT_MAINTAINER "Weft maintainers <maintainers@weft.invalid>" CACHE STRING
  "Who maintains the package, as Debian writes it: Name <address>")

# Made by the command that is installed, so they fit it. Debian wants manual pages compressed without a time.
install(CODE [[
  set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
  function(weft_says words file)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "$<TARGET_FILE:weft>" ${words} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS "Installing: ${file}")
  endfunction()
  file(GLOB old "${share}/man/man1/weft.1*" "${share}/man/man1/weft-*.1*")
  if(old)
    file(REMOVE ${old})
  endif()
  execute_process(COMMAND "$<TARGET_FILE:weft>" help --man-dir "${share}/man/man1" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages "${share}/man/man1/weft.1" "${share}/man/man1/weft-*.1")
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${share}/man/man1/weft*.1.gz")
  weft_says("completion;bash" "${share}/bash-completion/completions/weft")
  weft_says("completion;zsh" "${share}/zsh/vendor-completions/_weft")
  weft_says("completion;fish" "${share}/fish/vendor_completions.d/weft.fish")
]] COMPONENT runtime)
install(FILES README.md CHANGELOG.md THIRD_PARTY.md DESTINATION share/doc/weft COMPONENT runtime)
install(FILES examples/sweep.ini examples/sweep.sbatch examples/small-tpu.ini examples/first_program.weft
              examples/missing_dependence.weft
  DESTINATION share/doc/weft/examples COMPONENT runtime)
install(DIRECTORY examples/imports DESTINATION share/doc/weft/examples COMPONENT runtime)

# Weft loads Highway's library itself, so dpkg-shlibdeps does not see it.
set(weft_loaded_packages "")
find_program(WEFT_DPKG_QUERY dpkg-query)
if(WEFT_DPKG_QUERY)
  get_target_property(weft_hwy_file hwy::hwy IMPORTED_LOCATION_RELEASE)
  if(NOT weft_hwy_file)
    get_target_property(weft_hwy_file hwy::hwy IMPORTED_LOCATION_NONE)
  endif()
  if(weft_hwy_file)
    file(REAL_PATH "${weft_hwy_file}" weft_hwy_file)
    execute_process(COMMAND "${WEFT_DPKG_QUERY}" -S "${weft_hwy_file}" OUTPUT_VARIABLE weft_owner ERROR_QUIET)
    string(REGEX MATCH "^[^:, ]+" weft_loaded_packages "${weft_owner}")
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_CONTACT "${WEFT_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Weft models a weight-stationary systolic array with tiling and padding, and the memories
and units around it. A compiler lowers matrix products and whole networks (ONNX) onto the machine.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${weft_loaded_packages}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0-pthread")  # weft compare uses it if it is there
# Otherwise cpack would first build everything, tests too.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)
