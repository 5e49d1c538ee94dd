// ONNX's own converter between versions of its operators. Its header alone takes as long to compile
// as the rest of this folder, so one file includes it.
#pragma once

#include <onnx/onnx_pb.h>

namespace weft::onnx_io {

/// The model with its nodes as opset `to` has them. Throws what ONNX's library throws.
::onnx::ModelProto convert_version(const ::onnx::ModelProto& model, int from, int to);

}  // namespace weft::onnx_io
