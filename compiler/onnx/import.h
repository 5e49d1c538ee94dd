// Reads ONNX files as graphs. A file is untrusted: for any bytes, the result is either a graph that
// satisfies the graph's invariant or a one-line InputError with the file, the node or tensor, and
// the problem. docs/onnx.md lists the supported features.
//
//   bytes --> protobuf --> inputs bound --> nodes in order --> each at opset 17 --> graph::Builder
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

struct ImportOptions {
  /// Complete shapes by input name, for inputs with open dimensions. They must agree with the
  /// dimensions that the file fixes.
  std::map<std::string, graph::Shape> shapes = {};
  /// Values by input name. An input that determines a shape in the network is frozen: it becomes a
  /// constant with the given value instead of a graph input. The other inputs remain inputs and
  /// take their open dimensions from the given values.
  std::map<std::string, graph::Tensor> values = {};
  /// Computes nodes before the run, for example shapes (graph/builder/builder.h).
  graph::Evaluator evaluate = {};
  /// The extent of each first dimension that the file leaves open and neither `shapes` nor `values`
  /// fixes. At least one input must end up with this extent.
  std::optional<std::int64_t> batch = {};
};

/// Reads the network in the file `path`. The peak memory use is about twice the file's size. Throws
/// InputError.
graph::Graph import_onnx(const std::string& path, const ImportOptions& options = {});

/// Reads a network from memory; errors use `name` as the file name. Throws InputError also for a
/// tensor with external data, because a model in memory has no folder.
graph::Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& name,
                               const ImportOptions& options = {});

}  // namespace weft::onnx_io
