// Small networks as ONNX files, and machine options for them, for tests of the command.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/onnx/export.h"
#include "runtime/npy/npy_tensor.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {

/// Options of an 8 x 8 machine that runs small networks quickly; `dtype` as in --array.dtype.
inline std::vector<std::string> small_machine(const std::string& dtype) {
  return {"--machine",     "tiny", "--array.rows",        "8",   "--array.cols",         "8",
          "--array.dtype", dtype,  "--accumulators.rows", "256", "--unified_buffer.kib", "256"};
}

/// Float inputs "in:0" [2,3] and "shift" [2,2]; "out/0" [2,2] = in * {{1,2},{3,4},{5,6}} + shift.
inline graph::Graph small_product() {
  graph::Builder builder("small");
  const auto x = builder.input("in:0", {graph::DataType::kFloat32, {2, 3}});
  const auto shift = builder.input("shift", {graph::DataType::kFloat32, {2, 2}});
  const auto w = builder.constant(graph::Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), "w");
  const auto product = builder.add(graph::Op::kMatMul, {x, w}, {}, "product");
  builder.output(builder.add(graph::Op::kAdd, {product, shift}, {}, "sum"), "out/0");
  return builder.finish();
}

inline std::string write_onnx_file(const TemporaryFolder& folder, const std::string& name,
                                   const graph::Graph& graph) {
  return folder.write(name, onnx_io::to_onnx_bytes(graph));
}

inline graph::Tensor read_tensor_file(const std::string& file) {
  return runtime::to_tensor(runtime::read_npy(file));
}

}  // namespace weft::test
