// Operators whose indices name elements of the data. What gathers has the gradient that scatters,
// and the other way round.
#include "compiler/autodiff/rules.h"

namespace weft::autodiff {
namespace {

using graph::Tensor;

ValueId zeros_of(NodeGradient& g, std::size_t input) {
  return g.zeros({g.type(g.dy()), g.shape(g.input(input))});
}

Attributes axis_of(NodeGradient& g) {
  return {{"axis", g.attributes().integer("axis", 0)}};
}

void gather_elements_gradient(NodeGradient& g) {
  Attributes attributes = axis_of(g);
  attributes.set("reduction", std::string("add"));
  g.give(0, g.add(Op::kScatterElements, {zeros_of(g, 0), g.input(1), g.dy()}, attributes));
}

/// The index tuples of a GatherND with the batch's own indices in front, for a ScatterND.
ValueId whole_tuples(NodeGradient& g, std::int64_t batch_dims) {
  const Shape shape = g.shape(g.input(1));
  std::vector<ValueId> parts;
  Shape one = shape;
  one.back() = 1;
  for (std::int64_t d = 0; d < batch_dims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    Shape along(shape.size(), 1);
    along[at] = shape[at];
    const Tensor positions = Tensor::of<std::int64_t>(along, iota(shape[at]));
    parts.push_back(g.expand(g.constant(positions, "positions"), one));
  }
  if (parts.empty()) return g.input(1);
  parts.push_back(g.input(1));
  return g.add(Op::kConcat, parts, {{"axis", std::int64_t{-1}}});
}

void gather_nd_gradient(NodeGradient& g) {
  const ValueId tuples = whole_tuples(g, g.attributes().integer("batch_dims", 0));
  g.give(0, g.add(Op::kScatterNd, {zeros_of(g, 0), tuples, g.dy()},
                  {{"reduction", std::string("add")}}));
}

/// A scattering operator and the gathering one that reads the same elements.
struct Scatter {
  Op scatter;
  Op gather;
  Attributes axis = {};
};

/// dy at the places of the updates.
ValueId gathered(NodeGradient& g, const Scatter& by, ValueId values) {
  return g.add(by.gather, {values, g.input(1)}, by.axis);
}

/// The gradient of the updates that replace elements. Of several updates of one element only the
/// last one counts: the one whose number is found at the element.
ValueId replaced(NodeGradient& g, const Scatter& by) {
  const Shape shape = g.shape(g.input(2));
  const Tensor numbers = Tensor::of<std::int64_t>(shape, iota(graph::element_count(shape)));
  const ValueId own = g.constant(numbers, "numbers");
  const ValueId none = g.zeros({graph::DataType::kInt64, g.shape(g.input(0))});
  const ValueId last = g.add(by.scatter, {none, g.input(1), own}, by.axis);
  const ValueId counts = g.add(Op::kEqual, {gathered(g, by, last), own});
  return g.where(counts, gathered(g, by, g.dy()), g.number(g.dy(), 0));
}

void give_scattered(NodeGradient& g, const Scatter& by) {
  const std::string reduction = g.attributes().text("reduction", "none");
  if (reduction != "none" && reduction != "add") {
    g.refuse("only the reductions none and add have a gradient");
  }
  const bool adds = reduction == "add";
  if (g.needs(0)) {
    g.give(0, adds ? g.dy() : g.add(by.scatter, {g.dy(), g.input(1), zeros_of(g, 2)}, by.axis));
  }
  if (g.needs(2)) g.give(2, adds ? gathered(g, by, g.dy()) : replaced(g, by));
}

void scatter_elements_gradient(NodeGradient& g) {
  give_scattered(g, {Op::kScatterElements, Op::kGatherElements, axis_of(g)});
}

void scatter_nd_gradient(NodeGradient& g) {
  give_scattered(g, {Op::kScatterNd, Op::kGatherNd});
}

}  // namespace

Rules indexed_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kGatherElements, gather_elements_gradient},
      {Op::kGatherNd, gather_nd_gradient},
      {Op::kScatterElements, scatter_elements_gradient},
      {Op::kScatterNd, scatter_nd_gradient},
      RuleEntry::none(Op::kOneHot, "its operands are indices and the two values of a mask"),
  });
  return kRules;
}

}  // namespace weft::autodiff
