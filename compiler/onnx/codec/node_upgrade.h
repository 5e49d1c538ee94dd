// Converts nodes of older opsets to opset 17 with ONNX's own version converter. The converter gets
// a model with a single node. The inputs of this model have the types that the builder inferred:
//
//     i0, i1, ... --> node of opset 9   --> o0, ...    becomes
//     i0, i1, ... --> nodes of opset 17 --> o0, ...
//
// Converting the whole model at once would fail in three ways. The converter copies all weights. It
// knows only the shapes that the file declares, but it needs others, for example for Softmax. Its
// errors do not name the node.
//
// A node is not converted if its operator has not changed since the model's opset. Where the
// converter is silent or wrong, Weft does the step itself (legacy_node.h); docs/onnx.md lists these
// steps.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

inline constexpr int kOpset = 17;
/// A node of an older opset is accepted only if its operator did not change up to this opset.
inline constexpr int kOldestConvertibleOpset = 6;

struct UpgradedNode {
  std::vector<::onnx::NodeProto> nodes;        // at opset 17, in order
  std::vector<::onnx::TensorProto> constants;  // constants that the nodes use by name
  std::vector<std::string> inputs;             // local names of the original node's inputs
  std::vector<std::string> outputs;            // the same for outputs; "" for an unused one
};

/// Throws InputError if the node has an attribute or more inputs than ONNX allows in `opset`. So a
/// file cannot contain Weft's own extensions (graph/op.h). Nodes of opsets after 17 must have been
/// brought down to it (newer/newer_node.h).
void require_standard(const ::onnx::NodeProto& node, int opset);

class NodeUpgrade {
 public:
  /// `opset` is the model's opset, or 0 if the model declares none.
  explicit NodeUpgrade(int opset) : opset_(opset) {}

  int opset() const { return opset_; }

  /// The reason why the node's operator is not supported, or nullopt if it is. Call the other
  /// functions only for supported nodes.
  std::optional<std::string> refusal(const ::onnx::NodeProto& node) const;
  /// True if the operator's definition has changed since the model's opset.
  bool needed(const ::onnx::NodeProto& node) const;
  /// Converts the node. `inputs` holds one type per input, null for an omitted input. Throws
  /// InputError, without the node's name, if the node violates its own opset's rules or cannot be
  /// converted.
  UpgradedNode upgrade(const ::onnx::NodeProto& node,
                       std::span<const graph::ValueType* const> inputs) const;

 private:
  int opset_;
};

}  // namespace weft::onnx_io
