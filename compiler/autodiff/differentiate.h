// Reverse-mode differentiation: the forward half of a graph is copied into a builder, node by node,
// and each copy is a step; the backward half then walks over the steps from the last to the first,
// and lets each operator's rule turn the gradients of what it gives into gradients of what it
// takes. Where a value is used several times its gradients are added, last use first.
//
// Source: Linnainmaa, "The representation of the cumulative rounding error of an algorithm", 1970.
#pragma once

#include <string>
#include <vector>

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// One batch normalisation's running mean or variance: constant of the network, and its update.
struct RunningStatistic {
  ValueId source = graph::kNoValue;   // in the network
  ValueId updated = graph::kNoValue;  // in the new graph
};

class Differentiator {
 public:
  /// `wrt`: values of `network`, inputs or constants; each constant becomes an input of the new
  /// graph, and so do the running statistics of batch normalisations. Copies what `targets` depend
  /// on, in training form.
  Differentiator(const graph::Graph& network, graph::Builder& builder,
                 const std::vector<ValueId>& wrt, const std::vector<ValueId>& targets);

  /// The new graph's value of one of the network's.
  ValueId value(ValueId source) const { return values_[source]; }
  const std::vector<RunningStatistic>& statistics() const { return statistics_; }

  /// The gradients of `wrt` in the given order, where `seeds` are those of `targets`. Zeros where
  /// there is no path. Call it once.
  std::vector<ValueId> backward(const std::vector<ValueId>& seeds);

 private:
  void find_used();
  void declare_inputs();
  void copy(const graph::Node& node);
  void copy_batch_normalization(const graph::Node& node);
  void keep(Step step);
  std::vector<ValueId> copied_inputs(const graph::Node& node);
  ValueId copied(ValueId source);
  void add_gradient(ValueId value, ValueId gradient);
  ValueId sum_of(ValueId value);
  void differentiate(const Step& step);

  const graph::Graph& network_;
  graph::Builder& builder_;
  std::vector<ValueId> wrt_;
  std::vector<ValueId> targets_;
  std::vector<bool> used_;                       // by value of the network
  std::vector<ValueId> values_;                  // by value of the network
  std::vector<bool> needed_;                     // by value of the new graph
  std::vector<Step> steps_;                      // those with something needed
  std::vector<std::vector<ValueId>> gradients_;  // by value of the new graph
  std::vector<RunningStatistic> statistics_;
};

/// `network` and the gradients of the sum over its outputs of seed * output: inputs are the
/// network's, the constants named in `wrt`, and "seed/" + name for each output, of its type;
/// outputs are the network's and "gradient/" + name for each of `wrt`, inputs or constants. Batch
/// normalisations are in training form. Throws as training_graph() does, and for a name that is
/// neither.
graph::Graph gradient_graph(const graph::Graph& network, const std::vector<std::string>& wrt);

}  // namespace weft::autodiff
