// Reads files and bytes as ONNX's protobuf messages. Files are read through a stream, so that a
// file's bytes are never in memory together with its message.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <span>
#include <string>

namespace weft::onnx_io {

/// Throw InputError, without the file's name, if the file cannot be opened or does not hold such a
/// message.
::onnx::ModelProto read_model(const std::string& path);
::onnx::TensorProto read_tensor_message(const std::string& path);
/// Throws InputError if `bytes` does not hold a model.
::onnx::ModelProto parse_model(std::span<const std::byte> bytes);

}  // namespace weft::onnx_io
