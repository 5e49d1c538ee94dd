// Wraps ONNX's converter between operator versions. Its header takes as long to compile as the rest
// of this folder, so only one file includes it.
#pragma once

#include <onnx/onnx_pb.h>

namespace weft::onnx_io {

/// The model with its nodes converted to opset `to`. Throws the exceptions of ONNX's library.
::onnx::ModelProto convert_version(const ::onnx::ModelProto& model, int from, int to);

}  // namespace weft::onnx_io
