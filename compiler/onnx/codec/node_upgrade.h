// Nodes of older opsets as nodes of opset 17, by ONNX's own version converter. The converter gets
// each node on its own, in a model of one node whose inputs have the types that the builder
// inferred:
//
//     i0, i1, ... --> node of opset 9 --> o0, ...   ==>   i0, i1, ... --> nodes of opset 17 --> o0,
//     ...
//
// A whole model would not do: the converter copies all weights, knows shapes only where the file
// happens to state them (and needs them, for Softmax say), and its errors name no node. A node
// whose operator has not changed since its opset is left as it is. Where the converter says nothing
// or something wrong, this file does the step itself; docs/onnx.md lists those places.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

inline constexpr int kOpset = 17;
/// Older opsets are read as far as their operators have not changed until this one.
inline constexpr int kOldestConvertibleOpset = 6;

struct UpgradedNode {
  std::vector<::onnx::NodeProto> nodes;        // at opset 17, in order
  std::vector<::onnx::TensorProto> constants;  // that the nodes use, by name
  std::vector<std::string> inputs;             // the nodes' names of the original's inputs
  std::vector<std::string> outputs;            // and outputs; empty where the original's are
};

/// Throws InputError if the node has an attribute or a number of inputs that ONNX does not give its
/// operator in `opset`: Weft's own extensions (graph/op.h) are no input format.
void require_standard(const ::onnx::NodeProto& node, int opset);

class NodeUpgrade {
 public:
  /// `opset` is 0 if the model names none.
  explicit NodeUpgrade(int opset) : opset_(opset) {}

  /// Why the node's operator cannot be had at all; nothing if it can. The other functions are for
  /// nodes that are not refused.
  std::optional<std::string> refusal(const ::onnx::NodeProto& node) const;
  /// True if the operator's definition has changed since the model's opset.
  bool needed(const ::onnx::NodeProto& node) const;
  /// `inputs` has a type for each of the node's inputs, null for those left out. Throws InputError,
  /// without naming the node: it breaks its own opset's rules, or cannot be converted.
  UpgradedNode upgrade(const ::onnx::NodeProto& node,
                       std::span<const graph::ValueType* const> inputs) const;

 private:
  int opset_;
};

}  // namespace weft::onnx_io
