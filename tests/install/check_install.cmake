# Usage: cmake -DBUILD=... -DSOURCE=... -DFOLDER=... -DGENERATOR=... -DBUILD_TYPE=... -DCOMPILER=...
#          -DFLAGS=... -DLAUNCHER=... -P check_install.cmake
# Installs BUILD, moves the result, builds examples/from_cpp with it, and compares what the example prints
# with figures that come from elsewhere.
cmake_minimum_required(VERSION 3.25)

# run(VARIABLE command...): sets VARIABLE to what the command prints.
function(run variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words}: exit code ${code}\n${output}${errors}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# expect(TEXT REGEX REASON): TEXT must match; REASON says where the figure comes from.
function(expect text regex reason)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "no '${regex}' (${reason}) in:\n${text}")
  endif()
endfunction()

# --- Install. The folder then moves, so nothing may refer to the place of the installation.
file(REMOVE_RECURSE "${FOLDER}")
run(ignored "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${FOLDER}/installed")
file(RENAME "${FOLDER}/installed" "${FOLDER}/prefix")
set(prefix "${FOLDER}/prefix")

# --- The headers include only headers that are there, too.
file(GLOB_RECURSE headers "${prefix}/include/weft/*.h")
list(LENGTH headers count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} headers in ${prefix}/include/weft")
endif()
foreach(header IN LISTS headers)
  file(STRINGS "${header}" includes REGEX "^#include \"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*$" "\\1" included "${line}")
    if(NOT EXISTS "${prefix}/include/weft/${included}")
      message(FATAL_ERROR "${header} includes ${included}, which is not installed")
    endif()
  endforeach()
endforeach()

# --- The installed command finds the libraries that it loads.
run(output "${prefix}/bin/weft" matmul 2 3 2 --machine tiny --engine stepped)
expect("${output}" "array span 12;" "pushes 4 + rows 2 + R + C - 2")

# --- The example, too deep to find the libraries of BUILD (base/loaded_library.h).
set(example "${FOLDER}/far/from/the/libraries")
run(ignored "${CMAKE_COMMAND}" -S "${SOURCE}/examples/from_cpp" -B "${example}" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
run(ignored "${CMAKE_COMMAND}" --build "${example}")
run(output "${example}/from_cpp" "${SOURCE}/examples/small-tpu.ini")

# 1*7 + 2*9 + 3*11, 1*8 + 2*10 + 3*12, 4*7 + 5*9 + 6*11, 4*8 + 5*10 + 6*12.
set(values "58 64 139 154")
# One fold of docs/timing.md: R = 4 pushes, M = 2 rows, R + C - 2 = 6 cycles to drain.
expect("${output}" "product on engine fast: ${values}, array span 12 cycles\n" "by hand")
expect("${output}" "product on engine stepped: ${values}, array span 12 cycles\n" "by hand")
expect("${output}" "1000 x 1000 x 1000 on tpu-v2: 65677 cycles\n" "README.md, Start")
# M * K / R: one tile along N.
expect("${output}" "200 x 2\\^31 x 111 on tpu-v2: rows enter the array in 3355443200 cycles\n" "by hand")
foreach(layer IN ITEMS "c1: 1159" "c1.tanh/copy: 73" "s2: 865" "c3: 1934" "s4: 0" "c5: 3900"
        "f6: 921" "output: 188")
  expect("${output}" "  ${layer} cycles\n" "README.md, Run a network")
endforeach()
expect("${output}" "lenet5 on small-tpu: 9040 cycles, equal to the reference within rounding\n"
  "README.md, Run a network")
expect("${output}" "digits-mlp on tpu-v2: 3585 cycles a step" "docs/training.md")
# Ten classes that the network cannot tell apart yet: the loss is about ln 10 = 2.30.
if(NOT output MATCHES "loss of step 1: ([0-9.]+)\nloss of step 10: ([0-9.]+)\n" OR CMAKE_MATCH_1 LESS 2
   OR CMAKE_MATCH_1 GREATER 3 OR NOT CMAKE_MATCH_2 LESS CMAKE_MATCH_1)
  message(FATAL_ERROR "no loss near ln 10 that gets smaller:\n${output}")
endif()
