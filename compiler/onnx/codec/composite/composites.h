// Operators of ONNX that the graph lacks but that others express: they are built of those when they
// are read. So every backend, the gradients and the export have them.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"

namespace weft::onnx_io {

/// True if Weft builds this operator of others in `opset`, whatever the graph has.
bool is_composite(const std::string& op);
/// True if the composite `op` exists in `opset`. For operators that Debian's ONNX does not know.
bool composite_exists(const std::string& op, int opset);

/// True if this node is built of others: its operator is a composite, or its form is one that the
/// graph's operator lacks (Pad that wraps around, the maximum of truth values).
bool is_composed(const ::onnx::NodeProto& node, const std::vector<graph::ValueId>& inputs,
                 int opset, const graph::Builder& builder);

/// Builds the node and returns its only output, never one of its inputs. `inputs` has one value
/// per input of the node. Throws InputError, without the node's label.
graph::ValueId compose(const ::onnx::NodeProto& node, const std::vector<graph::ValueId>& inputs,
                       int opset, graph::Builder& builder);

}  // namespace weft::onnx_io
