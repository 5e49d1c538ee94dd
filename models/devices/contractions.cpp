#include "models/devices/contractions.h"

#include <algorithm>

#include "compiler/graph/operator_table.h"

namespace weft::devices {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;

std::uint64_t size_of(std::int64_t extent) {
  return static_cast<std::uint64_t>(extent);
}

std::uint64_t elements(const Shape& shape) {
  return size_of(graph::element_count(shape));
}

const Shape& shape_of(const Graph& graph, graph::ValueId value) {
  return graph.type(value).shape;
}

const Shape& output_shape(const Graph& graph, const Node& node) {
  return shape_of(graph, node.outputs.at(0));
}

/// Product of all extents but the second: samples times positions.
std::uint64_t positions(Shape shape) {
  shape.at(1) = 1;
  return elements(shape);
}

std::uint64_t from_second(Shape shape) {
  shape.at(0) = 1;
  return elements(shape);
}

std::uint64_t groups_of(const Node& node) {
  return size_of(node.attributes.integer("group", 1));
}

GemmShape convolution(const Graph& graph, const Node& node, std::size_t weights) {
  const Shape& w = shape_of(graph, node.inputs.at(weights));
  const std::uint64_t groups = groups_of(node);
  return {positions(output_shape(graph, node)), from_second(w), size_of(w.at(0)) / groups, groups};
}

GemmShape transposed_convolution(const Graph& graph, const Node& node) {
  const Shape& w = shape_of(graph, node.inputs.at(1));
  const std::uint64_t groups = groups_of(node);
  return {positions(shape_of(graph, node.inputs.at(0))), size_of(w.at(0)) / groups, from_second(w),
          groups};
}

GemmShape product(const Graph& graph, const Node& node, std::size_t right) {
  const Shape& a = shape_of(graph, node.inputs.at(0));
  const Shape& b = shape_of(graph, node.inputs.at(right));
  const std::uint64_t out = elements(output_shape(graph, node));
  const std::uint64_t k = size_of(a.back());
  const std::uint64_t n = b.size() > 1 ? size_of(b.back()) : 1;
  const bool one_matrix =
      std::all_of(b.begin(), b.end() - std::min<std::ptrdiff_t>(2, std::ssize(b)),
                  [](std::int64_t extent) { return extent == 1; });
  const std::uint64_t rows = a.size() > 1 ? size_of(a[a.size() - 2]) : 1;
  const std::uint64_t m = one_matrix ? out / n : rows;
  return {m, k, n, out / (m * n)};
}

GemmShape gemm(const Graph& graph, const Node& node) {
  const Shape& a = shape_of(graph, node.inputs.at(0));
  const Shape& out = output_shape(graph, node);
  const std::size_t depth = node.attributes.integer("transA", 0) != 0 ? 0 : 1;
  return {size_of(out.at(0)), size_of(a.at(depth)), size_of(out.at(1))};
}

std::optional<GemmShape> shape_of_contraction(const Graph& graph, const Node& node) {
  using enum graph::Product::Form;
  const graph::Product& operands = operator_of(node.op).product;
  switch (operands.form) {
    case kConvolution:
      return convolution(graph, node, operands.b);
    case kTransposedConvolution:
      return transposed_convolution(graph, node);
    case kMatrices:
      return product(graph, node, operands.b);
    case kGemm:
      return gemm(graph, node);
    case kNone:
    case kRecurrent:  // its single products are unknown until it is unrolled
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<GemmShape> contraction_of(const Graph& graph, const Node& node) {
  for (const graph::ValueId output : node.outputs) {
    if (output != graph::kNoValue && elements(shape_of(graph, output)) == 0) return std::nullopt;
  }
  const auto shape = shape_of_contraction(graph, node);
  return shape && shape->k > 0 ? shape : std::nullopt;
}

}  // namespace weft::devices
