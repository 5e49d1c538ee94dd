// Decides which values of a floating-point network become int8, and with which scale. quantize()
// then changes the graph accordingly.
//
//  - Conv, Gemm and MatMul with constant weights, and MatMul of two computed matrices (below:
//    contractions), have int8 inputs and outputs. A bias that is added to a MatMul belongs to it.
//  - Pools, element-wise operators, activation functions, softmax, normalization, Concat and
//    operators that move elements have an int8 output if all inputs are int8. So a network stays
//    int8 from its first contraction to its last. For this reason, the second operand of a sum or
//    product with an int8 value also becomes int8.
//  - A Relu or Clip belongs to a contraction or pool if it is its only user. Element-wise operators
//    form a chain, up to a softmax, if each is the only user of the one before. Values inside are
//    not rounded.
//  - Any other operator computes in float32; its result becomes int8 if a contraction uses it.
//
// If an operator only moves or compares elements, its inputs and outputs share the scale of their
// joint range, so that the operator can work on integers. The second of two computed matrices has
// zero point 0: any other would need a correction by the sum of every row of the first.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/passes/quantization/calibrate.h"

namespace weft::passes {

struct QuantizationParameters {
  float scale = 1;
  std::int8_t zero_point = 0;
};

/// Parameters so that int8 represents `range` with both ends in 255 steps of `scale`. 0 is
/// represented exactly. A range that contains only 0 has scale 1.
QuantizationParameters parameters_for(const ValueRange& range);
/// Parameters with zero point 0: 127 steps to either side.
QuantizationParameters symmetric_parameters_for(const ValueRange& range);

class QuantizationPlan {
 public:
  /// Throws InputError, with the node's label, if `graph` has fused nodes. Throws InputError, with
  /// the value's name, if a value that becomes int8 has no range.
  QuantizationPlan(const graph::Graph& graph, const CalibrationRanges& ranges);

  bool is_quantized(graph::ValueId value) const { return quantized_[value]; }
  /// True if a contraction with constant weights that becomes int8 makes `product`.
  bool is_contraction(graph::ValueId product) const { return products_[product]; }
  /// The result of the MatMul to which an Add adds a bias to make `sum`; kNoValue if there is none.
  graph::ValueId biased_product(graph::ValueId sum) const { return biased_[sum]; }
  /// The constant that an Add adds to `product` as its bias; kNoValue if there is none.
  graph::ValueId addend(graph::ValueId product) const { return addends_[product]; }
  /// The representative of the value's group. All values of a group share a scale.
  graph::ValueId group(graph::ValueId value) const;
  const QuantizationParameters& parameters(graph::ValueId value) const;

 private:
  void find_contractions(const graph::Graph& graph);
  void want_product(const graph::Node& node);
  void find_tail(const graph::Graph& graph, const graph::Node& contraction);
  void quantize_activated(const graph::Graph& graph, graph::ValueId value);
  void spread(const graph::Graph& graph, std::size_t index);
  void pull(const graph::Graph& graph, const graph::Node& node);
  bool is_known(graph::ValueId value) const { return quantized_[value] || carried_[value]; }
  bool passes_through(const graph::Graph& graph, const graph::Node& node) const;
  void share_scale(const graph::Graph& graph, const graph::Node& node);
  void extend_chain(const graph::Graph& graph, std::size_t index);
  bool continues(const graph::Graph& graph, graph::ValueId value, const graph::Node& user) const;
  void find_parameters(const graph::Graph& graph, const CalibrationRanges& ranges);
  void join(graph::ValueId a, graph::ValueId b);

  std::vector<bool> products_;
  std::vector<bool> wanted_;   // the value is an input of a contraction
  std::vector<bool> inside_;   // the value is between a contraction and its bias or activation
  std::vector<bool> carried_;  // the value passes unrounded to the next element-wise operator
  std::vector<bool> symmetric_;
  std::vector<bool> quantized_;
  std::vector<std::size_t> first_;  // for a carried value: the first node of its chain
  std::vector<graph::ValueId> biased_;
  std::vector<graph::ValueId> addends_;
  std::vector<graph::ValueId> parent_;              // union-find
  std::vector<QuantizationParameters> parameters_;  // by group
  std::vector<const graph::Node*> users_;           // used only in the constructor
  std::vector<std::size_t> producers_;              // used only in the constructor
};

}  // namespace weft::passes
