// Which values of a floating-point network become int8, and with which scale: what quantize() then
// writes into the graph.
//
//  - Conv, Gemm and MatMul with constant weights, and MatMul of two computed matrices (below:
//    contractions) take and give int8. A bias added to a MatMul belongs to it.
//  - Pools, element-wise operators, activation functions, softmax, normalisation, Concat and
//    movements of elements of which every input is int8 give int8, so that a network stays int8
//    from its first contraction to its last. The second operand of a sum or product with an int8
//    value becomes int8 for that.
//  - A Relu or Clip that alone follows a contraction or pool belongs to it, and so do element-wise
//    operators that alone follow one another, up to a softmax: nothing is rounded in between.
//  - Any other operator computes in float32; its result becomes int8 where a contraction takes it.
//
// Values between which elements are only moved or compared share one scale, that of their joint
// range, so that the operator works on the integers. The second of two computed matrices has the
// zero point 0: any other would cost a sum over every row of the first.
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
/// The same with zero point 0: 127 steps to either side.
QuantizationParameters symmetric_parameters_for(const Range& range);

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
  void want_product(const graph::Node& node);
  void find_tail(const graph::Graph& graph, const graph::Node& contraction);
  void quantise_activated(const graph::Graph& graph, graph::ValueId value);
  void spread(const graph::Graph& graph, std::size_t index);
  void pull(const graph::Graph& graph, const graph::Node& node);
  bool is_known(graph::ValueId value) const { return quantised_[value] || carried_[value]; }
  bool passes_through(const graph::Graph& graph, const graph::Node& node) const;
  void share_scale(const graph::Graph& graph, const graph::Node& node);
  void extend_chain(const graph::Graph& graph, std::size_t index);
  bool continues(const graph::Graph& graph, graph::ValueId value, const graph::Node& user) const;
  void find_parameters(const graph::Graph& graph, const CalibrationRanges& ranges);
  void join(graph::ValueId a, graph::ValueId b);

  std::vector<bool> products_;
  std::vector<bool> wanted_;   // a contraction takes the value
  std::vector<bool> inside_;   // between a contraction and its bias or activation
  std::vector<bool> carried_;  // from one element-wise operator to the next, not rounded
  std::vector<bool> symmetric_;
  std::vector<bool> quantised_;
  std::vector<std::size_t> first_;  // of a carried value: the node that began the chain
  std::vector<graph::ValueId> biased_;
  std::vector<graph::ValueId> addends_;
  std::vector<graph::ValueId> parent_;              // union-find
  std::vector<QuantizationParameters> parameters_;  // by group
  std::vector<const graph::Node*> users_;           // only while the plan is made
  std::vector<std::size_t> producers_;              // the same
};

}  // namespace weft::passes
