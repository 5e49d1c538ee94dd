// A file with one tensor, as ONNX's test data and tools write them (`.pb`, a TensorProto).
#pragma once

#include <string>

#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

/// The tensor in the file `path`. Throws InputError naming the file: it cannot be read, is no such
/// tensor, or has a type or elements that docs/onnx.md does not list.
graph::Tensor read_tensor_pb(const std::string& path);

}  // namespace weft::onnx_io
