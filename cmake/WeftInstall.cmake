# What `cmake --install` puts under PREFIX:
#
#   bin/weft          the command
#   lib/weft          the libraries: those that weft loads (base/loaded_library.h), and static ones
#   lib/cmake/weft    find_package(weft) and its targets, among them weft::weft
#   include/weft      the headers; the targets add this folder, so they are named as in the source tree
include(CMakePackageConfigHelpers)

install(TARGETS weft RUNTIME DESTINATION bin COMPONENT runtime)
install(TARGETS weft_machine_library weft_onnx_library LIBRARY DESTINATION lib/weft COMPONENT runtime)
install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/weft/rtl" DESTINATION lib/weft COMPONENT runtime OPTIONAL
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.so")
if(WEFT_SANITIZE)
  return()  # whoever links these libraries would need the same sanitizers
endif()

# weft_collect(TARGET VARIABLE): appends TARGET and the Weft libraries that it links to VARIABLE.
function(weft_collect target variable)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  set(all ${${variable}})
  if(NOT target MATCHES "^weft_" OR target IN_LIST all)
    return()
  endif()
  list(APPEND all ${target})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    if(TARGET "${link}")
      weft_collect(${link} all)
    endif()
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

set(weft_installed "")
weft_collect(weft_all weft_installed)
foreach(target IN LISTS weft_installed)
  string(REGEX REPLACE "^weft_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} INTERFACE cxx_std_20)
endforeach()
set_target_properties(weft_all PROPERTIES EXPORT_NAME weft)
# The headers compute too, and the numerics contract fixes each rounding (WeftOptions.cmake).
target_compile_options(weft_pe INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
# A program outside PREFIX finds the libraries that it loads by its run path.
target_link_options(weft_base INTERFACE
  $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/lib/weft>)

install(TARGETS ${weft_installed} EXPORT weft_targets
  ARCHIVE DESTINATION lib/weft INCLUDES DESTINATION include/weft)
install(EXPORT weft_targets FILE weftTargets.cmake NAMESPACE weft:: DESTINATION lib/cmake/weft)
configure_package_config_file(cmake/weftConfig.cmake.in weftConfig.cmake
  INSTALL_DESTINATION lib/cmake/weft NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake" "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
  DESTINATION lib/cmake/weft)
# Without the rooms that need ONNX, SystemC, Highway or Verilator, except what others include from them.
install(DIRECTORY base pe sim compiler models runtime report DESTINATION include/weft
  FILES_MATCHING REGEX "\\.(h|inc)$"
  PATTERN compiler/onnx/codec EXCLUDE PATTERN sim/array EXCLUDE PATTERN sim/machine EXCLUDE
  PATTERN runtime/sweep EXCLUDE PATTERN report/sweep EXCLUDE)
install(FILES sim/array/datapath.h DESTINATION include/weft/sim/array)
install(FILES sim/machine/datapaths/lockstep_error.h DESTINATION include/weft/sim/machine/datapaths)
install(FILES rtl/cosim/rtl_model.h rtl/cosim/rtl_models.h DESTINATION include/weft/rtl/cosim)
