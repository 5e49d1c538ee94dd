# weft_options, which every Weft target links, brings the warnings and the sanitizers.
# Floating-point contraction is off everywhere: the numerics contract fixes each rounding, so the
# compiler must not fuse a multiply and an add that the source keeps apart.

add_library(weft_warnings INTERFACE)
target_compile_options(weft_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wdouble-promotion -Wcast-qual
  # From -O2 on, GCC 12 wrongly reports a null pointer inside Boost's typed_value<std::string>.
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:WEFT_USES_BOOST_OPTIONS>>>:-Wnull-dereference>
  $<$<BOOL:${WEFT_WERROR}>:-Werror>)

add_library(weft_sanitizers INTERFACE)
if(WEFT_SANITIZE)
  list(JOIN WEFT_SANITIZE "," weft_sanitize_list)
  target_compile_options(weft_sanitizers INTERFACE
    -fsanitize=${weft_sanitize_list} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # SystemC threads run on separate stacks, and a finished simulation does not unwind them. With
  # stack red zones, ASan would report their next use as an overflow.
  if("address" IN_LIST WEFT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(weft_sanitizers INTERFACE --param=asan-stack=0)
  endif()
  target_link_options(weft_sanitizers INTERFACE -fsanitize=${weft_sanitize_list})
endif()

add_library(weft_options INTERFACE)
target_include_directories(weft_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(weft_options INTERFACE -ffp-contract=off)
target_link_libraries(weft_options INTERFACE weft_warnings weft_sanitizers)

# --- Faster full builds ----------------------------------------------------------------------------
# Half of a file's compile time goes into the headers that it includes. WEFT_UNITY compiles the files of
# a library together, which reads Weft's own headers once per group. WEFT_PRECOMPILE reads the headers
# of the C++ library once per build. A changed file is then compiled again with its neighbors, so both
# help only full builds; the preset `dev` leaves them off.
option(WEFT_UNITY "Compile the files of a library together" OFF)
option(WEFT_PRECOMPILE "Precompile the headers of the C++ library, fmt and GoogleTest" OFF)
set(WEFT_UNITY_FILES 24)  # per group: enough to share headers, few enough to keep several cores busy
set(weft_precompiled_headers
  <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <numeric> <optional> <ranges> <set> <span> <sstream> <stdexcept> <string>
  <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>)

# weft_quick(TARGET PRECOMPILED): applies both options to TARGET. It reuses the precompiled headers of
# the target PRECOMPILED, if not empty. CMake does not group files that have their own compile options.
function(weft_quick target precompiled)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${WEFT_UNITY} UNITY_BUILD_BATCH_SIZE ${WEFT_UNITY_FILES})
  if(WEFT_PRECOMPILE AND precompiled)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
    target_link_libraries(${target} PRIVATE fmt::fmt)  # the headers were compiled with its definitions
  endif()
endfunction()

# weft_precompiled(TARGET LIBRARIES HEADERS...): adds TARGET, which owns the precompiled headers.
function(weft_precompiled target libraries)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" CONTENT "" @ONLY)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  target_link_libraries(${target} PRIVATE weft_options ${libraries})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
if(WEFT_PRECOMPILE)
  weft_precompiled(weft_precompiled fmt::fmt ${weft_precompiled_headers})
endif()

# A release is compiled with -O2, except for two kinds of targets:
# weft_hot(TARGET) uses -O3, because its loops take most of the time of a run;
# weft_cold(TARGET) uses -O1, which compiles a third faster, because its code runs only once.
# weft_hot avoids precompiled headers: they would bring -O2 into functions for a special instruction set.
function(weft_hot target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
  set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endfunction()
function(weft_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# weft_library(NAME SOURCES ... DEPENDS ...): adds the library weft_NAME with the alias weft::NAME. It is
# static, or header-only if it has no sources. Users of an installed library do not get weft_options
# (WeftInstall.cmake).
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(weft_${name} STATIC ${ARG_SOURCES})
    weft_quick(weft_${name} weft_precompiled)
    target_link_libraries(weft_${name} PUBLIC $<BUILD_INTERFACE:weft_options> ${ARG_DEPENDS})
  else()
    add_library(weft_${name} INTERFACE)
    target_link_libraries(weft_${name} INTERFACE $<BUILD_INTERFACE:weft_options> ${ARG_DEPENDS})
  endif()
  add_library(weft::${name} ALIAS weft_${name})
endfunction()

option(WEFT_REQUIRE_TOOLS "Make a missing optional tool an error" OFF)

# weft_missing_tool(TOOL LOSS): reports what is lost, or fails if WEFT_REQUIRE_TOOLS is on.
function(weft_missing_tool tool loss)
  if(WEFT_REQUIRE_TOOLS)
    message(FATAL_ERROR "${tool} not found: ${loss}. Install it, see tools/packages.txt")
  endif()
  message(STATUS "${tool} not found: ${loss}")
endfunction()

# weft_interface(VARIABLE file ...): sets VARIABLE to a hash of these source files, the compiler and the
# build type. A loaded library carries this hash, and a program accepts it only if its own is equal.
function(weft_interface variable)
  set(text "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
    file(SHA256 "${PROJECT_SOURCE_DIR}/${file}" hash)
    string(APPEND text " ${hash}")
  endforeach()
  string(SHA256 hash "${text}")
  set(${variable} "${hash}" PARENT_SCOPE)
endfunction()
