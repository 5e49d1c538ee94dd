// The implementations of the functions in Codec (compiler/onnx/codec.h).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "compiler/onnx/codec.h"

namespace weft::onnx_io {

graph::Graph import_file(const std::string& path, const ImportOptions& options);
graph::Graph import_bytes(std::span<const std::byte> bytes, const std::string& name,
                          const ImportOptions& options);
void write_model(const graph::Graph& graph, std::ostream& out, const ExportOptions& options);
std::string model_bytes(const graph::Graph& graph, const ExportOptions& options);
graph::Tensor read_tensor(const std::string& path);

inline constexpr Codec kCodec{WEFT_ONNX_INTERFACE, import_file, import_bytes,
                              write_model,         model_bytes, read_tensor};

}  // namespace weft::onnx_io
