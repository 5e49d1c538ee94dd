// The part of Weft that is linked to ONNX and protobuf, as the few functions that the rest calls.
// Both libraries fill large tables when they are loaded, several milliseconds of every start, so
// they are loaded with this part, lib/weft/onnx.so, when a file is first read or written.
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

/// What onnx.so exports as `weft_onnx_codec`. The functions are those of import.h, export.h and
/// tensor_file.h; a graph that is written has no extensions any more.
struct Codec {
  const char* interface = nullptr;  // names the headers that it was compiled from
  graph::Graph (*import_file)(const std::string& path, const ImportOptions& options) = nullptr;
  graph::Graph (*import_bytes)(std::span<const std::byte> bytes, const std::string& name,
                               const ImportOptions& options) = nullptr;
  void (*write)(const graph::Graph& graph, std::ostream& out,
                const ExportOptions& options) = nullptr;
  std::string (*to_bytes)(const graph::Graph& graph, const ExportOptions& options) = nullptr;
  graph::Tensor (*read_tensor)(const std::string& path) = nullptr;
};

/// The codec of this program: loaded at the first call, or linked (linked_codec.cpp). Throws
/// ConfigError if it cannot be loaded.
const Codec& codec();

}  // namespace weft::onnx_io
