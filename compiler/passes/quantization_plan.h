// Which values of a floating-point network become int8, and with which scale: what quantize() then
// writes into the graph.
//
//  - Conv, Gemm and MatMul with constant weights (below: contractions) take and give int8. A bias
//    added to a MatMul belongs to it.
//  - Pools, Add, Relu, Clip, Concat, activation functions and movements of elements of which every
//    input is int8 give int8, so that a network stays int8 from its first contraction to its last.
//  - A Relu or Clip that alone follows a contraction, Add or pool belongs to it: nothing is rounded
//    in between.
//  - Any other operator computes in float32; its result becomes int8 where a contraction takes it.
//
// Values between which elements are only moved or compared share one scale, that of their joint
// range, so that the operator works on the integers.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/passes/calibrate.h"

namespace weft::passes {

struct QuantizationParameters {
  float scale = 1;
  std::int8_t zero_point = 0;
};

/// Parameters with which int8 holds `range`, ends included: 255 steps of `scale`, of which one is
/// exactly 0. A range of 0 alone has scale 1.
QuantizationParameters parameters_for(const Range& range);

class QuantizationPlan {
 public:
  /// Throws InputError naming the node if `graph` has been fused already, and naming the value if
  /// one that becomes int8 has no range.
  QuantizationPlan(const graph::Graph& graph, const CalibrationRanges& ranges);

  bool is_quantised(graph::ValueId value) const { return quantised_[value]; }
  /// True if the node that makes `product` is a contraction that becomes int8.
  bool is_contraction(graph::ValueId product) const { return products_[product]; }
  /// The MatMul of which `sum` is the result with its bias added; kNoValue if it is no such thing.
  graph::ValueId biased_product(graph::ValueId sum) const { return biased_[sum]; }
  /// The constant that is added to `product` as its bias; kNoValue if there is none.
  graph::ValueId addend(graph::ValueId product) const { return addends_[product]; }
  /// Values of one group have one scale; `group` is one of them.
  graph::ValueId group(graph::ValueId value) const;
  const QuantizationParameters& parameters(graph::ValueId value) const;

 private:
  void find_contractions(const graph::Graph& graph);
  void find_tail(const graph::Graph& graph, const graph::Node& contraction);
  void quantise_activated(const graph::Graph& graph, graph::ValueId value);
  void spread(const graph::Graph& graph, const graph::Node& node);
  void find_parameters(const graph::Graph& graph, const CalibrationRanges& ranges);
  void join(graph::ValueId a, graph::ValueId b);

  std::vector<bool> products_;
  std::vector<bool> wanted_;  // a contraction takes the value
  std::vector<bool> inside_;  // between a contraction and its bias or activation
  std::vector<bool> quantised_;
  std::vector<graph::ValueId> biased_;
  std::vector<graph::ValueId> addends_;
  std::vector<graph::ValueId> parent_;              // union-find
  std::vector<QuantizationParameters> parameters_;  // by group
  std::vector<const graph::Node*> users_;           // only while the plan is made
};

}  // namespace weft::passes
