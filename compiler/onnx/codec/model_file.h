// Files and bytes into ONNX's protobuf messages, through a stream, so that a file is never in
// memory beside its message.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <span>
#include <string>

namespace weft::onnx_io {

/// Throws InputError, without naming the file: it cannot be opened, or is no such message.
::onnx::ModelProto read_model(const std::string& path);
::onnx::TensorProto read_tensor_message(const std::string& path);
/// Throws InputError if `bytes` is no such message.
::onnx::ModelProto parse_model(std::span<const std::byte> bytes);

}  // namespace weft::onnx_io
