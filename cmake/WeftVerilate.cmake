# Finds Verilator, builds its runtime as weft::verilated, and compiles modules of rtl/ into libraries.
# CMake's own verilate() is not used, because it runs Verilator when CMake configures.
find_program(WEFT_VERILATOR verilator)
option(WEFT_RTL "Build the parts that run the SystemVerilog of rtl/ (needs Verilator)" ON)

if(WEFT_RTL AND NOT WEFT_VERILATOR)
  weft_missing_tool(verilator "no --engine rtl and no test of rtl/ by simulation")
  set(WEFT_RTL OFF)
endif()
if(NOT WEFT_RTL)
  return()
endif()

execute_process(COMMAND "${WEFT_VERILATOR}" -getenv VERILATOR_ROOT
  OUTPUT_VARIABLE weft_verilator_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(weft_verilator_include "${weft_verilator_root}/include")

# Compiles Verilator's runtime and the code that it generates without warnings and sanitizers. They
# would report on code that is not Weft's, and sanitizers would be slow.
function(weft_foreign_code target)
  target_include_directories(${target} SYSTEM PUBLIC
    "${weft_verilator_include}" "${weft_verilator_include}/vltstd")
  target_compile_options(${target} PRIVATE -w -g0)
endfunction()

# The hooks turn a failing assertion into an exception. They are Weft's own code, so they are compiled
# apart, with all warnings.
add_library(weft_verilated_hooks OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/rtl/cosim/verilated_hooks.cpp")
target_link_libraries(weft_verilated_hooks PRIVATE weft_options)

add_library(weft_verilated STATIC EXCLUDE_FROM_ALL
  "${weft_verilator_include}/verilated.cpp"
  "${weft_verilator_include}/verilated_threads.cpp"
  $<TARGET_OBJECTS:weft_verilated_hooks>)
add_library(weft::verilated ALIAS weft_verilated)
weft_foreign_code(weft_verilated)
target_compile_definitions(weft_verilated PRIVATE VL_USER_STOP VL_USER_FINISH VL_USER_FATAL)
target_compile_options(weft_verilated PRIVATE -O2
  "SHELL:-include \"${PROJECT_SOURCE_DIR}/rtl/cosim/verilated_hooks.h\"")
target_link_libraries(weft_verilated PUBLIC Threads::Threads)

# weft_draft(TARGET PRECOMPILED): compiles TARGET, which runs once, as quickly as possible. It reuses the
# precompiled headers of PRECOMPILED, which was made a draft in the same way.
function(weft_draft target precompiled)
  target_compile_options(${target} PRIVATE -O0)
  if(WEFT_PRECOMPILE AND precompiled)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()
if(WEFT_PRECOMPILE)
  weft_precompiled(weft_verilated_precompiled weft_verilated <algorithm> <string> <vector> <verilated.h>)
  weft_draft(weft_verilated_precompiled "")
endif()

# weft_verilate(PREFIX V... TOP module OUTPUT variable [PARAMETERS Name=value ...] [RTL_DIR dir]
#               [DRAFT])
#
# Adds a static library with the class PREFIX, declared in "PREFIX.h". The class simulates module TOP
# with these parameters. Sets the variable to the target's name. PREFIX must be unique in the build.
# Verilator runs at build time, and again when a file that it read changes. A failing assertion of
# the RTL throws SimulationError from eval(). DRAFT is for RTL that runs once and may be wrong: it
# compiles quickly, runs slowly, and gives no Verilator warnings.
function(weft_verilate)
  cmake_parse_arguments(ARG "DRAFT" "PREFIX;TOP;OUTPUT;RTL_DIR" "PARAMETERS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_PREFIX OR NOT ARG_TOP OR NOT ARG_OUTPUT)
    message(FATAL_ERROR "weft_verilate: needs PREFIX, TOP and OUTPUT; "
      "does not know '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_RTL_DIR)
    set(ARG_RTL_DIR "${PROJECT_SOURCE_DIR}/rtl")
  endif()
  list(TRANSFORM ARG_PARAMETERS PREPEND -G)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${ARG_PREFIX}.verilated")
  set(script "${PROJECT_SOURCE_DIR}/cmake/RunVerilator.cmake")
  set(sources "${folder}/fast.cpp" "${folder}/slow.cpp")
  if(ARG_DRAFT)
    set(sources "${folder}/all.cpp")
  endif()

  add_custom_command(
    OUTPUT "${folder}/${ARG_PREFIX}.h" ${sources}
    COMMAND "${CMAKE_COMMAND}" "-DVERILATOR=${WEFT_VERILATOR}" "-DRTL_DIR=${ARG_RTL_DIR}"
      "-DPREFIX=${ARG_PREFIX}" "-DTOP=${ARG_TOP}" "-DPARAMETERS=${ARG_PARAMETERS}"
      "-DDRAFT=${ARG_DRAFT}" "-DFOLDER=${folder}" "-DDEPFILE=${folder}.d" -P "${script}"
    DEPENDS "${script}"
    DEPFILE "${folder}.d"
    COMMENT "Verilating ${ARG_TOP} as ${ARG_PREFIX}"
    VERBATIM)

  set(target "verilated_${ARG_PREFIX}")
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  weft_foreign_code(${target})
  target_include_directories(${target} SYSTEM PUBLIC "${folder}")
  target_link_libraries(${target} PUBLIC weft_verilated)
  # slow.cpp runs only once per model, and optimizing it would take most of the compile time.
  set_source_files_properties("${folder}/fast.cpp" PROPERTIES COMPILE_OPTIONS -O2)
  set_source_files_properties("${folder}/slow.cpp" PROPERTIES COMPILE_OPTIONS -O0)
  if(ARG_DRAFT)
    weft_draft(${target} weft_verilated_precompiled)
  endif()
  set(${ARG_OUTPUT} ${target} PARENT_SCOPE)
endfunction()
