#include "compiler/onnx/codec.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "compiler/onnx/tensor_file.h"

namespace weft::onnx_io {

graph::Graph import_onnx(const std::string& path, const ImportOptions& options) {
  return codec().import_file(path, options);
}

graph::Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& name,
                               const ImportOptions& options) {
  return codec().import_bytes(bytes, name, options);
}

void write_onnx(const graph::Graph& graph, std::ostream& out, const ExportOptions& options) {
  codec().write(without_extensions(graph), out, options);
}

std::string to_onnx_bytes(const graph::Graph& graph, const ExportOptions& options) {
  return codec().to_bytes(without_extensions(graph), options);
}

graph::Tensor read_tensor_pb(const std::string& path) {
  return codec().read_tensor(path);
}

}  // namespace weft::onnx_io
