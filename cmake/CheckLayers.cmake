# Usage: cmake -DROOT=<source tree> -P CheckLayers.cmake
# The rooms of the house, lowest first, each with the rooms whose headers it may include besides its own. A row
# may name only rooms above it, so no two rooms can include each other, not even through others. A file belongs
# to the longest path here that it begins with.
cmake_minimum_required(VERSION 3.25)

set(table
  "base:"
  "pe: base"
  "sim/config: base pe"
  "sim/isa: base pe sim/config"
  "sim/memory: base pe sim/config sim/isa"
  "sim/timing: base pe sim/config sim/isa"
  "sim/array: base pe sim/config sim/isa sim/memory sim/timing"
  "sim/analysis: base pe sim/config sim/isa sim/timing"
  "sim/trace: base pe sim/config sim/isa sim/memory sim/timing sim/array sim/analysis"
  "rtl: base pe sim/config sim/timing sim/array"
  "sim: base pe sim/config sim/isa sim/memory sim/analysis sim/trace"  # the front door, simulate.h
  "sim/machine: base pe sim sim/config sim/isa sim/memory sim/timing sim/array sim/analysis sim/trace rtl"
  # The compiler never sees sim/machine or sim/array: a program is all that passes between them.
  "compiler/graph: base pe sim/memory"
  "compiler/onnx: base pe compiler/graph"
  "compiler/onnx/codec: base pe compiler/graph compiler/onnx"
  "compiler/passes: base pe compiler/graph"
  "compiler/autodiff: base compiler/graph compiler/passes"
  "compiler/plan: base sim/config sim/isa"
  "compiler/lowering: base sim/config sim/isa sim/memory compiler/plan"
  "compiler/network: base pe sim/config sim/isa sim/memory compiler/graph compiler/passes compiler/lowering"
  "models: pe sim/memory"  # random values
  "models/networks: base pe compiler/graph"
  "models/devices: base compiler/graph"
  "models/execution: base compiler/graph"
  "models/data: base sim/memory compiler/graph models/networks"
  "models/reference: pe"  # functions that processor and device share
  "models/reference/cpu/product: base pe sim/isa sim/memory"
  "models/reference/cpu/nn: base pe compiler/graph models/reference models/reference/cpu/product"
  "models/reference/cpu/tensor_ops: base pe compiler/graph models/reference/cpu/nn"
  "models/reference/cpu: base compiler/graph models/execution models/reference/cpu/nn models/reference/cpu/tensor_ops"
  "models/reference/cuda/bodies: base models/reference models/reference/cpu/nn"
  "models/reference/cuda/device: base pe models/reference/cuda/bodies"
  "models/reference/cuda: models/execution models/reference/cuda/device"
  "models/reference/cuda/graph: base compiler/graph models/execution models/reference/cpu models/reference/cpu/nn models/reference/cpu/tensor_ops models/reference/cuda models/reference/cuda/bodies models/reference/cuda/device"
  "models/reference/cuda/checks: base compiler/graph models/execution models/reference/cpu models/reference/cuda models/reference/cuda/device models/reference/cuda/graph"
  "models/reference/cuda/weft_gpu: base models/networks models/reference/cuda/device models/reference/cuda/checks"
  "models/training: base compiler/graph compiler/autodiff models/data models/networks models/reference/cpu"
  "runtime: base pe sim sim/config sim/isa sim/memory sim/timing sim/analysis sim/trace compiler/graph compiler/autodiff compiler/passes compiler/network models/execution models/reference/cpu models/reference/cpu/product models/training"
  "cli: base pe sim sim/config sim/isa sim/memory sim/timing sim/analysis sim/trace sim/machine rtl compiler/graph compiler/onnx compiler/passes compiler/autodiff compiler/plan compiler/lowering compiler/network models models/networks models/devices models/data models/training models/reference/cpu models/reference/cpu/product models/reference/cuda models/reference/cuda/device runtime")

set(problems "")
set(rooms "")
foreach(row IN LISTS table)
  string(REGEX MATCH "^[^:]+" room "${row}")
  string(REGEX REPLACE "^[^:]+: *" "" allowed "${row}")
  string(REPLACE " " ";" allowed "${allowed}")
  foreach(other IN LISTS allowed)
    if(NOT other IN_LIST rooms)
      list(APPEND problems "the table lets ${room} include ${other}, which does not stand above it")
    endif()
  endforeach()
  list(APPEND rooms "${room}")
  set("allowed_${room}" "${room};${allowed}")
endforeach()

# room_of(VARIABLE path): the room to which a file belongs; empty for files of no room.
function(room_of variable path)
  cmake_path(GET path PARENT_PATH folder)
  while(folder AND NOT folder IN_LIST rooms)
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

set(tops ${rooms})
list(TRANSFORM tops REPLACE "/.*" "")
list(REMOVE_DUPLICATES tops)
list(JOIN tops "|" top_pattern)
foreach(top IN LISTS tops)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${top}/*.h" "${ROOT}/${top}/*.cpp"
    "${ROOT}/${top}/*.cu" "${ROOT}/${top}/*.cuh")
  foreach(file IN LISTS files)
    room_of(room "${file}")
    file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS includes)
      if(line MATCHES "\"((${top_pattern})/[^\"]*)\"")
        set(header "${CMAKE_MATCH_1}")
        room_of(other "${header}")
        if(NOT other IN_LIST "allowed_${room}")
          list(APPEND problems "${file} includes ${header}")
        endif()
      endif()
      if(line MATCHES "<(systemc|tlm)" AND NOT room STREQUAL "sim/machine")
        list(APPEND problems "${file} includes SystemC, which only sim/machine may")
      endif()
    endforeach()
  endforeach()
endforeach()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "a folder may include only those that cmake/CheckLayers.cmake names for it:\n  ${text}")
endif()
