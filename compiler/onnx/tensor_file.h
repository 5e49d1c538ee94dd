// Reads a file with one tensor: a TensorProto in a `.pb` file, as in ONNX's test data.
#pragma once

#include <string>

#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

/// The tensor in the file `path`. Throws InputError with the file's name if the file cannot be
/// read, holds no tensor, or has a type or elements that docs/onnx.md does not list.
graph::Tensor read_tensor_pb(const std::string& path);

}  // namespace weft::onnx_io
