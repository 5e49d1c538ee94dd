# Usage: cmake -DROOT=<source tree> -P CheckLayers.cmake
# The rooms of the house, lowest first, each with the rooms whose headers it may include besides its own. A row
# may name only rooms above it, so no two rooms can include each other, not even through others, and only rooms
# that a file of it includes. A file belongs to the longest path here that it begins with.
cmake_minimum_required(VERSION 3.25)

set(table
  "base:"
  "pe:"
  "sim/config: base pe"
  "sim/isa: pe sim/config"
  "sim/isa/text: base sim/isa"  # assembler, disassembler, encoding, and their table
  "sim/isa/check: base sim/config sim/isa sim/isa/text"  # which programs are valid
  "sim/memory: base pe sim/config sim/isa sim/isa/check"
  "sim/timing: base sim/config sim/isa"
  "sim/array/kernels: base pe sim/isa"
  "sim/array: base pe sim/config sim/isa sim/memory sim/timing sim/array/kernels"
  "sim/analysis/hazards: base sim/config sim/isa sim/timing"
  "sim/analysis: base sim/config sim/isa sim/timing sim/analysis/hazards"
  "sim/trace: base pe sim/config sim/isa sim/isa/text sim/timing sim/array sim/analysis"
  "rtl/cosim: base sim/config sim/array"
  "sim: sim/config sim/isa sim/memory sim/analysis sim/trace"  # the front door, simulate.h
  "sim/machine/datapaths: base sim/timing sim/array sim/trace"  # that compare, record or trace another
  "sim/machine: base sim/config sim/isa sim/memory sim/timing sim/array sim/analysis/hazards sim/analysis sim/trace rtl/cosim sim sim/machine/datapaths"
  # The compiler never sees sim/machine or sim/array: a program is all that passes between them.
  "compiler/graph: base sim/memory"
  "compiler/graph/shapes: base compiler/graph"
  "compiler/graph/builder: base compiler/graph compiler/graph/shapes"
  "compiler/onnx: base pe compiler/graph compiler/graph/builder"
  "compiler/onnx/codec/protobuf: base pe compiler/graph compiler/onnx"
  "compiler/onnx/codec/newer: base compiler/graph compiler/graph/shapes compiler/graph/builder compiler/onnx compiler/onnx/codec/protobuf"
  "compiler/onnx/codec/composite: base pe compiler/graph compiler/graph/shapes compiler/graph/builder compiler/onnx compiler/onnx/codec/protobuf"
  "compiler/onnx/codec: base pe compiler/graph compiler/graph/builder compiler/onnx compiler/onnx/codec/protobuf compiler/onnx/codec/newer compiler/onnx/codec/composite"
  "compiler/passes/rewrite: pe compiler/graph compiler/graph/shapes compiler/graph/builder"
  "compiler/passes/fusion: compiler/graph compiler/passes/rewrite"
  "compiler/passes/simplify: base compiler/graph compiler/graph/shapes compiler/passes/rewrite compiler/passes/fusion"
  "compiler/passes/quantization: base compiler/graph compiler/graph/shapes compiler/passes/rewrite compiler/passes/fusion"
  "compiler/passes: compiler/graph compiler/passes/rewrite compiler/passes/fusion compiler/passes/simplify compiler/passes/quantization"
  "compiler/autodiff: base compiler/graph compiler/graph/shapes compiler/graph/builder compiler/passes/rewrite"
  "compiler/rows: base pe sim/memory compiler/graph"
  "compiler/program: base sim/config sim/isa sim/memory sim/timing compiler/graph compiler/rows"
  "compiler/layers: base sim/isa sim/memory compiler/graph compiler/graph/shapes compiler/rows compiler/program"
  "compiler/blocks: sim/config compiler/rows compiler/program compiler/layers"
  "compiler/mapping: base sim/config sim/isa sim/isa/check compiler/rows compiler/program compiler/layers compiler/blocks"
  "compiler/emit: base sim/config sim/isa sim/isa/check sim/memory compiler/rows compiler/program compiler/layers compiler/blocks compiler/mapping"
  "compiler/emit/vector: compiler/rows compiler/layers compiler/blocks compiler/emit"
  "compiler/mapping/bound: sim/config sim/timing compiler/graph compiler/graph/shapes"  # cycles that no schedule beats
  "compiler/segments/forms: sim/config compiler/rows compiler/layers"
  "compiler/segments/lines: sim/config compiler/graph compiler/graph/shapes compiler/rows compiler/program compiler/layers"
  "compiler/segments: base sim/memory sim/config sim/isa compiler/graph compiler/graph/shapes compiler/passes/simplify compiler/rows compiler/program compiler/layers compiler/blocks compiler/mapping compiler/segments/forms compiler/segments/lines"
  "compiler/schedule/product: base pe sim/config sim/isa sim/timing compiler/graph compiler/graph/builder compiler/program compiler/layers compiler/blocks compiler/mapping compiler/emit"
  "compiler/schedule: base sim/config sim/isa sim/isa/check sim/timing compiler/graph compiler/rows compiler/program compiler/layers compiler/blocks compiler/mapping compiler/emit compiler/emit/vector compiler/mapping/bound compiler/segments compiler/schedule/product"
  "models: pe sim/memory"  # random values
  "models/networks: base pe compiler/graph compiler/graph/shapes compiler/graph/builder models"
  "models/devices: base sim/config compiler/graph"
  "models/imports: base"  # files of other simulators
  "models/measurements: base models/devices"  # files of profilers
  "models/execution: base compiler/graph"
  "models/data: base sim/memory compiler/graph models"
  "models/reference:"  # functions that processor and device share
  "models/reference/cpu/product: base pe sim/isa sim/memory"
  "models/reference/cpu/nn: base pe compiler/graph compiler/graph/shapes models/reference models/reference/cpu/product"
  "models/reference/cpu/nn/contraction: base compiler/graph/shapes models/reference/cpu/product models/reference/cpu/nn"
  "models/reference/cpu/tensor_ops: base pe compiler/graph compiler/graph/shapes models/reference/cpu/nn"
  "models/reference/cpu/tensor_ops/indexed: base compiler/graph compiler/graph/shapes models/reference/cpu/tensor_ops"
  "models/reference/cpu: base compiler/graph compiler/graph/shapes models/execution models/reference/cpu/tensor_ops"
  "models/reference/cuda/bodies: base models/reference models/reference/cpu/nn"
  "models/reference/cuda/device: base pe models/reference/cuda/bodies"
  "models/reference/cuda: models/execution models/reference/cuda/device"
  "models/reference/cuda/graph: base compiler/graph compiler/graph/shapes models/execution models/reference/cpu/nn models/reference/cpu/nn/contraction models/reference/cpu/tensor_ops models/reference/cpu/tensor_ops/indexed models/reference/cpu models/reference/cuda/bodies models/reference/cuda/device models/reference/cuda"
  "models/reference/cuda/checks: base compiler/graph compiler/graph/builder models/execution models/reference/cpu models/reference/cuda/device models/reference/cuda models/reference/cuda/graph"
  "models/reference/cuda/weft_gpu: base models/networks models/reference/cuda/device models/reference/cuda/checks"
  "models/training: base compiler/graph compiler/graph/builder compiler/autodiff models models/data models/reference/cpu"
  "runtime/npy: base pe sim/memory compiler/graph"
  "runtime: base pe sim/config sim/memory sim/timing sim/analysis sim/trace sim compiler/graph compiler/graph/shapes compiler/passes/simplify compiler/passes/quantization compiler/passes compiler/autodiff compiler/rows compiler/program compiler/emit compiler/mapping/bound compiler/schedule/product compiler/schedule models/execution models/reference/cpu/product models/reference/cpu models/training"
  "runtime/workload: base pe sim/config sim/isa sim/memory sim/timing sim compiler/graph compiler/graph/builder compiler/onnx compiler/program compiler/layers compiler/mapping compiler/emit compiler/schedule/product compiler/schedule models models/networks models/data models/reference/cpu/product models/reference/cpu models/training runtime/npy runtime"
  "runtime/job: base sim/config sim/isa sim/analysis rtl/cosim sim sim/machine/datapaths compiler/graph compiler/onnx compiler/program compiler/mapping compiler/emit compiler/schedule runtime runtime/workload"
  "runtime/analysis: base sim/config sim/isa sim/isa/check sim/timing sim/analysis sim compiler/graph compiler/program compiler/mapping compiler/emit compiler/schedule runtime runtime/workload runtime/job"
  "runtime/sweep/mpi: base"
  "runtime/sweep/space: base sim/config sim compiler/program compiler/mapping models/data runtime/workload"
  "runtime/sweep/points: base pe sim/analysis compiler/graph compiler/mapping/bound compiler/schedule/product compiler/schedule runtime runtime/workload runtime/job runtime/analysis runtime/sweep/space"
  "runtime/sweep/workers: base runtime/sweep/mpi runtime/sweep/space runtime/sweep/points"
  "runtime/sweep: base sim/config runtime/sweep/space runtime/sweep/points runtime/sweep/workers"
  "runtime/scalesim: base sim/config sim/isa sim/isa/check sim/analysis sim compiler/mapping compiler/emit compiler/schedule/product models/imports"
  "runtime/measure: pe sim/memory models models/devices models/reference/cpu/product"
  "runtime/compare: base pe sim/config sim/memory sim compiler/graph compiler/graph/shapes compiler/onnx compiler/emit models/networks models/devices models/measurements models/reference/cpu models/reference/cuda/device models/reference/cuda runtime runtime/workload runtime/job runtime/analysis runtime/measure"
  "runtime/train: base sim/config rtl/cosim sim compiler/graph compiler/onnx compiler/program compiler/autodiff models/networks models/data models/reference/cpu models/reference/cuda models/training runtime/npy runtime"
  "report: base sim/config sim/analysis sim compiler/graph compiler/rows compiler/program compiler/mapping models/networks runtime runtime/workload runtime/job runtime/analysis"
  "report/trace: base sim/config sim/isa sim/timing sim/analysis sim/trace compiler/program report"
  "report/explain/layer: base sim/config sim/analysis compiler/schedule runtime/analysis report"
  "report/explain: base sim/config sim/isa sim/timing sim/analysis compiler/graph compiler/onnx compiler/mapping compiler/emit compiler/mapping/bound compiler/schedule runtime runtime/workload runtime/job runtime/analysis report report/explain/layer"
  "report/plan: base sim/config compiler/graph compiler/schedule report report/explain"
  "report/compare: base models/devices runtime/compare report"
  "report/sweep: base runtime/sweep/space runtime/sweep report"
  "report/results: base sim/config sim/analysis compiler/onnx report report/explain"
  "report/scalesim: base compiler/mapping runtime/scalesim report"
  "report/train: models/training runtime runtime/train report"
  "report/page: base sim/config sim/isa sim/isa/text sim/analysis sim/trace compiler/onnx compiler/rows compiler/program compiler/blocks compiler/mapping runtime runtime/workload runtime/job runtime/analysis report report/explain/layer report/explain report/compare report/results report/train"
  "report/sweep/page: runtime/sweep report report/sweep report/page"
  "cli/options: base sim/config sim/isa sim compiler/graph compiler/program models/imports models/networks runtime runtime/workload runtime/job report report/trace report/plan"
  "cli: base sim/config rtl/cosim compiler/graph compiler/onnx compiler/program compiler/mapping compiler/schedule/product compiler/schedule models/reference/cpu runtime/npy runtime runtime/workload runtime/job report report/trace report/plan report/page cli/options"
  "cli/train: base sim/config compiler/onnx models/networks models/data models/training runtime runtime/workload runtime/train report report/train report/page cli/options"
  "cli/sweep: base sim/config runtime/analysis runtime/sweep/mpi runtime/sweep/space runtime/sweep/points runtime/sweep/workers runtime/sweep report report/sweep report/page report/sweep/page cli/options cli"
  "cli/commands: base sim/config sim/isa sim/isa/text sim/analysis/hazards compiler/graph compiler/onnx compiler/layers compiler/emit compiler/schedule/product models/imports models/networks models/reference/cpu runtime runtime/workload runtime/analysis runtime/compare runtime/sweep/mpi report report/scalesim report/explain/layer report/explain report/compare report/page cli/options cli cli/train cli/sweep"
  "cli/manual: base sim/config sim models/networks runtime/workload report cli/options cli/sweep cli/commands")

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
        set("used_${room}_${other}" TRUE)
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
foreach(room IN LISTS rooms)
  foreach(other IN LISTS "allowed_${room}")
    if(other AND NOT other STREQUAL room AND NOT used_${room}_${other})
      list(APPEND problems "the table lets ${room} include ${other}, but no file of it does")
    endif()
  endforeach()
endforeach()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "a folder may include only those that cmake/CheckLayers.cmake names for it, all of those:\n  ${text}")
endif()
