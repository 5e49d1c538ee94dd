// The interface to the part of Weft that links to ONNX and protobuf. Both libraries fill large
// tables when they are loaded, and this would add several milliseconds to every start. So this part
// is a separate library, lib/weft/onnx.so, that is loaded when a file is first read or written.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/graph/tensor.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"

namespace weft::onnx_io {

/// The type of the symbol `weft_onnx_codec` in onnx.so. import.h, export.h and tensor_file.h
/// describe the functions. The graphs to write must have no extensions (without_extensions()).
struct Codec {
  const char* interface = nullptr;  // identifies the headers that onnx.so was compiled with
  graph::Graph (*import_file)(const std::string& path, const ImportOptions& options) = nullptr;
  graph::Graph (*import_bytes)(std::span<const std::byte> bytes, const std::string& name,
                               const ImportOptions& options) = nullptr;
  void (*write)(const graph::Graph& graph, std::ostream& out,
                const ExportOptions& options) = nullptr;
  std::string (*to_bytes)(const graph::Graph& graph, const ExportOptions& options) = nullptr;
  graph::Tensor (*read_tensor)(const std::string& path) = nullptr;
};

/// The codec of this program. The first call loads it, unless the program links it
/// (linked_codec.cpp). Throws ConfigError if it cannot be loaded.
const Codec& codec();

}  // namespace weft::onnx_io
