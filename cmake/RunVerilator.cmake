# Usage: cmake -DVERILATOR= -DRTL_DIR= -DPREFIX= -DTOP= -DPARAMETERS= -DFOLDER= -DDEPFILE= -P ...
# Runs Verilator into an empty FOLDER and writes there fast.cpp and slow.cpp, which include what it
# generated (the number of files is its business), and a dependency file for the build tool.
file(REMOVE_RECURSE "${FOLDER}")
file(GLOB_RECURSE top_file "${RTL_DIR}/${TOP}.sv")  # it may lie in a folder of its own
execute_process(
  COMMAND "${VERILATOR}" --cc -Wall -O3 --x-assign fast --x-initial fast --assert
    --prefix "${PREFIX}" --Mdir "${FOLDER}" --top-module "${TOP}" ${PARAMETERS}
    -y "${RTL_DIR}" "${RTL_DIR}/verilator.vlt" "${RTL_DIR}/binary32_pkg.sv" ${top_file}
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "Verilator failed on ${TOP} ${PARAMETERS}")
endif()

file(GLOB sources RELATIVE "${FOLDER}" "${FOLDER}/*.cpp")
list(SORT sources)
set(slow_sources ${sources})
list(FILTER slow_sources INCLUDE REGEX "__(Slow|Syms)\\.cpp$")
list(REMOVE_ITEM sources ${slow_sources})
foreach(part IN ITEMS fast slow)
  set(names ${sources})
  if(part STREQUAL "slow")
    set(names ${slow_sources})
  endif()
  list(TRANSFORM names REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN names "" text)
  file(WRITE "${FOLDER}/${part}.cpp" "${text}")
endforeach()

# Verilator's own list of what it read, behind the one output that the build tool knows it by.
file(READ "${FOLDER}/${PREFIX}__ver.d" dependencies)
string(REGEX REPLACE "^[^:]*:" "" dependencies "${dependencies}")
file(WRITE "${DEPFILE}" "${FOLDER}/${PREFIX}.h:${dependencies}")
