// Graphs into ONNX models: opset 17, IR version 8, weights inside the file. Weft's extensions of
// ONNX's operators (graph/op.h) are written as the standard nodes that they stand for, so that any
// other program reads the file; importing it gives a graph that computes the same.
#pragma once

#include <iosfwd>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::onnx_io {

struct ExportOptions {
  /// The first extent of each input and output is written as the dimension "batch", which whoever
  /// runs the file chooses. The caller knows that the nodes take any batch.
  bool open_batch = false;
};

/// Throws InputError if the model is larger than 2 GiB or the stream fails, or if a node's
/// extension has no standard form (a quantised activation whose scale is not a constant).
void write_onnx(const graph::Graph& graph, std::ostream& out, const ExportOptions& options = {});
/// The same as bytes.
std::string to_onnx_bytes(const graph::Graph& graph, const ExportOptions& options = {});

/// The graph with nothing in it that is not ONNX: a bias of MatMul, a residual and an activation
/// are nodes of their own. Values keep their names.
graph::Graph without_extensions(const graph::Graph& graph);

}  // namespace weft::onnx_io
