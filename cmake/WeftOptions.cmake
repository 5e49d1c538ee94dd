# Two INTERFACE targets that every Weft target links: warnings and sanitizers.
# Floating-point contraction is off everywhere: the numerics contract fixes each rounding, so the
# compiler must not fuse a multiply and an add that the source keeps apart.

add_library(weft_warnings INTERFACE)
target_compile_options(weft_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wcast-qual
  $<$<BOOL:${WEFT_WERROR}>:-Werror>)

add_library(weft_sanitizers INTERFACE)
if(WEFT_SANITIZE)
  list(JOIN WEFT_SANITIZE "," weft_sanitize_list)
  target_compile_options(weft_sanitizers INTERFACE
    -fsanitize=${weft_sanitize_list} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # SystemC runs its threads on stacks of its own, which a finished simulation leaves without
  # unwinding; with stack red zones ASan takes their next use for an overflow.
  if("address" IN_LIST WEFT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(weft_sanitizers INTERFACE --param=asan-stack=0)
  endif()
  target_link_options(weft_sanitizers INTERFACE -fsanitize=${weft_sanitize_list})
endif()

add_library(weft_options INTERFACE)
target_include_directories(weft_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(weft_options INTERFACE -ffp-contract=off)
target_link_libraries(weft_options INTERFACE weft_warnings weft_sanitizers)

# weft_library(NAME SOURCES ... DEPENDS ...): a library weft_NAME with the alias weft::NAME; static,
# or header-only if it has no sources.
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(weft_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(weft_${name} PUBLIC weft_options ${ARG_DEPENDS})
  else()
    add_library(weft_${name} INTERFACE)
    target_link_libraries(weft_${name} INTERFACE weft_options ${ARG_DEPENDS})
  endif()
  add_library(weft::${name} ALIAS weft_${name})
endfunction()
