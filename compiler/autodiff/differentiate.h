// Reverse-mode differentiation. The forward half copies the network's nodes into a builder; each
// copy is a step. The backward half goes through the steps from the last to the first. Each
// operator's rule computes the gradients of the node's inputs from the gradients of its outputs. If
// a value has several uses, their gradients are added, last use first.
//
// Source: Linnainmaa, "The representation of the cumulative rounding error of an algorithm", 1970.
#pragma once

#include <string>
#include <vector>

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// The running mean or variance of a batch normalization.
struct RunningStatistic {
  ValueId source = graph::kNoValue;   // the constant in the network
  ValueId updated = graph::kNoValue;  // its updated value in the new graph
};

class Differentiator {
 public:
  /// Copies the nodes that `targets` depend on, in training form. `wrt` lists the inputs and
  /// constants of `network` to differentiate with respect to. Each constant among them becomes an
  /// input of the new graph, and so do the running statistics of batch normalizations.
  Differentiator(const graph::Graph& network, graph::Builder& builder,
                 const std::vector<ValueId>& wrt, const std::vector<ValueId>& targets);

  /// The value in the new graph that corresponds to `source` in the network.
  ValueId value(ValueId source) const { return values_[source]; }
  const std::vector<RunningStatistic>& statistics() const { return statistics_; }

  /// The gradients of `wrt`, in that order; `seeds` are the gradients of `targets`. A gradient is
  /// zeros if no path leads to a target. Call this function only once.
  std::vector<ValueId> backward(const std::vector<ValueId>& seeds);

 private:
  void find_used();
  void declare_inputs();
  void copy(const graph::Node& node);
  void copy_batch_normalization(const graph::Node& node);
  void keep(ForwardNode step);
  std::vector<ValueId> copied_inputs(const graph::Node& node);
  ValueId copied(ValueId source);
  void add_gradient(ValueId value, ValueId gradient);
  ValueId sum_of(ValueId value);
  void differentiate(const ForwardNode& step);

  const graph::Graph& network_;
  graph::Builder& builder_;
  std::vector<ValueId> wrt_;
  std::vector<ValueId> targets_;
  std::vector<bool> used_;                       // by value of the network
  std::vector<ValueId> values_;                  // by value of the network
  std::vector<bool> needed_;                     // by value of the new graph
  std::vector<ForwardNode> steps_;               // steps with an input whose gradient is needed
  std::vector<std::vector<ValueId>> gradients_;  // by value of the new graph
  std::vector<RunningStatistic> statistics_;
};

/// A graph of `network` and the gradients of the sum of seed * output over its outputs. `wrt` names
/// inputs or constants of the network. Batch normalizations are in training form.
///
///  - Inputs: the network's inputs, the constants in `wrt`, and "seed/" + name for each output, of
///    the output's type.
///  - Outputs: the network's outputs, and "gradient/" + name for each name in `wrt`.
///
/// Throws the errors of training_graph(), and InputError for a name that is neither an input nor a
/// constant.
graph::Graph gradient_graph(const graph::Graph& network, const std::vector<std::string>& wrt);

}  // namespace weft::autodiff
