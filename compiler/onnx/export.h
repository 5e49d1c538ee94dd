// Writes graphs as ONNX models: opset 17, IR version 8, weights inside the file. Weft's extensions
// of ONNX's operators (graph/op.h) are written as separate standard nodes, so that other programs
// can read the file. Importing the file gives a graph that computes the same.
#pragma once

#include <iosfwd>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::onnx_io {

struct ExportOptions {
  /// If true, the first extent of each input and output is the open dimension "batch", so that a
  /// user of the file chooses its size. The nodes must work with any batch.
  bool open_batch = false;
};

/// Writes `graph` to `out`. Throws InputError if the model is larger than 2 GiB, if the stream
/// fails, or if a node's extension has no standard form (for example, a quantized activation with a
/// scale that is not a constant).
void write_onnx(const graph::Graph& graph, std::ostream& out, const ExportOptions& options = {});
/// Returns the bytes that write_onnx() would write.
std::string to_onnx_bytes(const graph::Graph& graph, const ExportOptions& options = {});

/// The graph in standard ONNX: the bias of a MatMul, residuals and activations become separate
/// nodes. Values keep their names.
graph::Graph without_extensions(const graph::Graph& graph);

}  // namespace weft::onnx_io
