# Usage: cmake -DVERILATOR= -DRTL_DIR= -DPREFIX= -DTOP= -DPARAMETERS= -DDRAFT= -DFOLDER=
#   -DDEPFILE= -P ...
# Runs Verilator, with FOLDER as its empty output folder. Writes fast.cpp and slow.cpp there, which
# include the generated files (their number varies), and DEPFILE for the build tool. With DRAFT,
# warnings are off, and all.cpp replaces the two.
file(REMOVE_RECURSE "${FOLDER}")
set(warnings -Wall)
if(DRAFT)
  set(warnings -Wno-lint -Wno-style -Wno-UNOPTFLAT -Wno-fatal)
endif()
file(GLOB_RECURSE top_file RELATIVE "${RTL_DIR}" "${RTL_DIR}/${TOP}.sv")  # may lie in a subfolder
# Verilator cannot read a file whose path has a space, so it runs in the folder of the files.
execute_process(
  COMMAND "${VERILATOR}" --cc ${warnings} -O3 --x-assign fast --x-initial fast --assert
    --prefix "${PREFIX}" --Mdir "${FOLDER}" --top-module "${TOP}" ${PARAMETERS}
    -y . verilator.vlt binary32_pkg.sv ${top_file}
  WORKING_DIRECTORY "${RTL_DIR}"
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "Verilator failed on ${TOP} ${PARAMETERS}")
endif()

file(GLOB sources RELATIVE "${FOLDER}" "${FOLDER}/*.cpp")
list(SORT sources)
set(slow_sources ${sources})
list(FILTER slow_sources INCLUDE REGEX "__(Slow|Syms)\\.cpp$")
set(fast_sources ${sources})
list(REMOVE_ITEM fast_sources ${slow_sources})

function(write_part part)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN ARGN "" text)
  file(WRITE "${FOLDER}/${part}.cpp" "${text}")
endfunction()
if(DRAFT)
  write_part(all ${sources})
else()
  write_part(fast ${fast_sources})
  write_part(slow ${slow_sources})
endif()

# Verilator lists the files that it read; names in RTL_DIR are relative to it. These files become the
# prerequisites of PREFIX.h, the output that the build tool knows.
file(READ "${FOLDER}/${PREFIX}__ver.d" text)
string(REGEX REPLACE "^[^:]*:" "" text "${text}")
string(REGEX MATCHALL "[^ \t\r\n]+" names "${text}")
set(dependencies "")
foreach(name IN LISTS names)
  cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY "${RTL_DIR}" NORMALIZE)
  if(EXISTS "${name}")
    string(REPLACE " " "\\ " name "${name}")
    string(APPEND dependencies " ${name}")
  endif()
endforeach()
string(REPLACE " " "\\ " folder "${FOLDER}")
file(WRITE "${DEPFILE}" "${folder}/${PREFIX}.h:${dependencies}\n")
