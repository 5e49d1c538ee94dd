#include "compiler/segments/lines/image_nodes.h"

#include <algorithm>

#include "compiler/graph/operator_table.h"

namespace weft::compiler {

using graph::Op;
using graph::ValueId;

bool is_image(const graph::Graph& graph, ValueId value) {
  return value != graph::kNoValue && !graph.is_constant(value) &&
         graph.type(value).shape.size() == 4 && graph::element_count(graph.type(value).shape) > 0;
}

std::optional<ImageConvolution> image_convolution(const graph::Graph& graph,
                                                  const graph::Node& node) {
  if (node.op != Op::kConv && node.op != Op::kQLinearConv) return std::nullopt;
  const ValueId weights = node.input(node.op == Op::kConv ? 1 : 3);
  if (!is_image(graph, node.input(0)) || !graph.is_constant(weights)) return std::nullopt;
  const graph::Shape& input = graph.type(node.input(0)).shape;
  const graph::Shape& filters = graph.type(weights).shape;
  const auto windows =
      graph::resolve_windows(node.attributes, input, {filters.begin() + 2, filters.end()});
  ImageConvolution found;
  found.x = node.input(0);
  found.y = node.outputs[0];
  found.k = input[1];
  found.n = filters[0];
  found.groups = node.attributes.integer("group", 1);
  found.lines = windows[0];
  found.columns = windows[1];
  if (node.op == Op::kQLinearConv) {
    found.x_zero = node.input(2);
    found.y_zero = node.input(7);
  }
  return found;
}

std::optional<ImageMaxPool> image_max_pool(const graph::Graph& graph, const graph::Node& node) {
  if (node.op != Op::kMaxPool || !is_image(graph, node.input(0))) return std::nullopt;
  if (node.outputs.size() > 1 && node.outputs[1] != graph::kNoValue) return std::nullopt;
  const graph::Shape& input = graph.type(node.input(0)).shape;
  const auto windows =
      graph::resolve_windows(node.attributes, input, node.attributes.integers("kernel_shape"));
  return ImageMaxPool{node.input(0), node.outputs[0], input[1], windows[0], windows[1]};
}

bool is_lane_by_lane(const graph::Graph& graph, const graph::Node& node) {
  const bool quantizes = node.op == Op::kDequantizeLinear || node.op == Op::kQuantizeLinear;
  if (!quantizes && !has(node.op, graph::Trait::kFunction) &&
      !has(node.op, graph::Trait::kBinary)) {
    return false;
  }
  if (!is_image(graph, node.input(0)) &&
      !(node.inputs.size() == 2 && is_image(graph, node.input(1)))) {
    return false;
  }
  const graph::Shape& result = graph.type(node.outputs[0]).shape;
  return result.size() == 4 && std::ranges::all_of(node.inputs, [&](ValueId input) {
           if (input == graph::kNoValue) return true;
           const graph::Shape& own = graph.type(input).shape;
           if (!graph.is_constant(input)) return own == result;
           const std::int64_t count = graph::element_count(own);
           return count == 1 ||
                  (count == result[1] && own.size() >= 3 && own[own.size() - 3] == count);
         });
}

bool reads_joined_lines(const graph::Graph& graph, const graph::Node& node) {
  return image_convolution(graph, node) || is_lane_by_lane(graph, node) ||
         image_max_pool(graph, node);
}

bool same_constant(const graph::Graph& graph, ValueId a, ValueId b) {
  if (a == b) return true;
  if (a == graph::kNoValue || b == graph::kNoValue) return false;
  if (!graph.is_constant(a) || !graph.is_constant(b) || graph.type(a) != graph.type(b))
    return false;
  const graph::Tensor first = graph.values[a].constant->tensor();
  const graph::Tensor second = graph.values[b].constant->tensor();
  return std::ranges::equal(first.bytes(), second.bytes());
}

}  // namespace weft::compiler
