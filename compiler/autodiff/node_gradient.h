// The gradient of one node, as a rule sees it: the node's values in the training graph, the
// gradient of what it gives, and a place for the gradients of what it takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/autodiff/emitter.h"

namespace weft::autodiff {

/// A node of the forward half. Values are those of the graph that is being built.
struct Step {
  graph::Node node;
  std::vector<ValueId> saved = {};  // what the node's training form keeps for its gradient
};

class NodeGradient : public Emitter {
 public:
  /// `needed`: by value, whether its gradient is wanted; `output_gradients`: one for each output,
  /// kNoValue where none arrives.
  NodeGradient(graph::Builder& builder, const Step& step, const std::vector<bool>& needed,
               std::vector<ValueId> output_gradients);

  const graph::Node& node() const { return node_; }
  const Attributes& attributes() const { return node_.attributes; }
  ValueId input(std::size_t i) const { return node_.input(i); }
  ValueId output(std::size_t i = 0) const { return node_.outputs[i]; }
  ValueId saved(std::size_t i) const { return saved_[i]; }
  /// The gradient of an output.
  ValueId dy(std::size_t i = 0) const { return output_gradients_[i]; }
  bool needs(std::size_t i) const;

  /// The gradient of input `i`, of its shape (or it is refused); dropped if it is not needed.
  void give(std::size_t i, ValueId gradient);
  /// Throws InputError `node 'NAME' (OP): training: what`.
  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses a contraction to which a pass has added a residual, an activation or a bias: one with
  /// more inputs than ONNX gives it, or with the attribute.
  void expect_unfused(std::size_t most_inputs) const;
  /// The elements of input `i` as integers; refuses if they are not known before the run.
  Ints known(std::size_t i) const;
  /// The only element of input `i`; nothing if it is not known, or not the only one.
  std::optional<std::int64_t> known_integer(std::size_t i) const;
  std::optional<double> known_number(std::size_t i) const;
  /// The types of all outputs, those included that nobody wants.
  std::vector<graph::ValueType> output_types() const;

  /// By input.
  const std::vector<ValueId>& given() const { return given_; }

 private:
  const graph::Tensor* ready(std::size_t i) const;

  const graph::Node node_;
  const std::vector<ValueId> saved_;
  const std::vector<bool>& needed_;
  std::vector<ValueId> output_gradients_;
  std::vector<ValueId> given_;
};

using Rule = void (*)(NodeGradient&);

/// The rule of an operator; null if it has none.
Rule rule_of(Op op);

}  // namespace weft::autodiff
