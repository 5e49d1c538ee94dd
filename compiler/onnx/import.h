// ONNX files into graphs. A file is untrusted: whatever its bytes are, the result is a graph that
// holds the graph's invariant or an InputError of one line that names the file, the node or tensor,
// and what is wrong. What is understood: docs/onnx.md.
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
  /// Whole shapes by input name; needed for inputs that leave dimensions open. A dimension that the
  /// file fixes must not be contradicted.
  std::map<std::string, graph::Shape> shapes = {};
  /// Elements by input name. An input whose elements decide a shape in the network is frozen to
  /// them: it becomes a constant and is no longer among the graph's inputs. The others remain
  /// inputs; their open dimensions are those of the elements.
  std::map<std::string, graph::Tensor> values = {};
  /// Computes what is known before the run, such as shapes (graph/builder.h).
  graph::Evaluator evaluate = {};
  /// The extent of first dimensions that the file leaves open and nothing above closes. At least
  /// one input must take it: have such a dimension, or this very extent.
  std::optional<std::int64_t> batch = {};
};

/// The network in the file `path`. At its peak the memory taken is about twice the file's size.
/// Throws InputError.
graph::Graph import_onnx(const std::string& path, const ImportOptions& options = {});

/// The same from memory; errors call it `name`. There is no folder in which external data could
/// lie, so a tensor with such data is an InputError.
graph::Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& name,
                               const ImportOptions& options = {});

}  // namespace weft::onnx_io
