// The interface of a gradient rule to one node: the node's values in the training graph, the
// gradients of its outputs, and a place for the gradients of its inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/autodiff/emitter.h"

namespace weft::autodiff {

/// A node of the forward half. Its values belong to the new graph.
struct ForwardNode {
  graph::Node node;
  std::vector<ValueId> saved = {};  // values that the training form keeps for the gradient
};

class NodeGradient : public Emitter {
 public:
  /// `needed` tells for each value whether its gradient is needed. `output_gradients` has one entry
  /// per output, kNoValue for an output without a gradient.
  NodeGradient(graph::Builder& builder, const ForwardNode& step, const std::vector<bool>& needed,
               std::vector<ValueId> output_gradients);

  const graph::Node& node() const { return node_; }
  const Attributes& attributes() const { return node_.attributes; }
  ValueId input(std::size_t i) const { return node_.input(i); }
  ValueId output(std::size_t i = 0) const { return node_.outputs[i]; }
  ValueId saved(std::size_t i) const { return saved_[i]; }
  /// The gradient of output `i`, or kNoValue.
  ValueId dy(std::size_t i = 0) const { return output_gradients_[i]; }
  bool needs(std::size_t i) const;

  /// Sets the gradient of input `i`; does nothing if it is not needed. Throws InputError if the
  /// gradient does not have the input's shape.
  void give(std::size_t i, ValueId gradient);
  /// Throws InputError `node 'NAME' (OP): training: what`.
  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses a contraction that a pass has fused with a residual, an activation or a bias: one with
  /// more than `most_inputs` inputs or with an "activation" attribute.
  void expect_unfused(std::size_t most_inputs) const;
  /// The elements of input `i` as integers. Refuses the node if they are unknown before the run.
  Ints known(std::size_t i) const;
  /// The only element of input `i`; nullopt if it is unknown or if there are several elements.
  std::optional<std::int64_t> known_integer(std::size_t i) const;
  std::optional<double> known_number(std::size_t i) const;
  /// The types of all outputs, including unused ones.
  std::vector<graph::ValueType> output_types() const;

  /// The gradients set by give(), by input; kNoValue if not set.
  const std::vector<ValueId>& given() const { return given_; }

 private:
  const graph::Tensor* ready(std::size_t i) const;

  const graph::Node node_;
  const std::vector<ValueId> saved_;
  const std::vector<bool>& needed_;
  std::vector<ValueId> output_gradients_;
  std::vector<ValueId> given_;
};

}  // namespace weft::autodiff
