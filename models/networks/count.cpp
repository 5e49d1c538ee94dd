#include "models/networks/count.h"

#include <string>

#include "base/error.h"
#include "compiler/graph/learned.h"
#include "compiler/graph/operator_table.h"

namespace weft::networks {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::ValueId;

const Shape& input_shape(const Graph& graph, const Node& node, std::size_t i) {
  return graph.type(node.inputs[i]).shape;
}

/// `count` times the product of the extents of `shape` from the second on. That product is the
/// number of MACs per output element for the weights [M, C / groups, taps...] of a convolution, and
/// per input element for the weights [C, M / groups, taps...] of a transposed convolution.
std::int64_t each_times_inner(std::int64_t count, Shape shape) {
  shape.at(0) = count;
  return graph::element_count(shape);
}

std::int64_t output_elements(const Graph& graph, const Node& node) {
  for (const ValueId output : node.outputs) {
    if (output != graph::kNoValue) return graph::element_count(graph.type(output).shape);
  }
  return 0;
}

std::int64_t gemm_depth(const Graph& graph, const Node& node) {
  const Shape& a = input_shape(graph, node, 0);
  return a.at(node.attributes.integer("transA", 0) != 0 ? 0 : 1);
}

std::int64_t recurrent_macs(const Graph& graph, const Node& node) {
  const Shape& x = input_shape(graph, node, 0);
  const Shape& w = input_shape(graph, node, 1);
  const Shape& r = input_shape(graph, node, 2);
  return graph::element_count({x.at(0), x.at(1), w.at(0), w.at(1), w.at(2) + r.at(2)});
}

std::int64_t signed_macs(const Graph& graph, const Node& node) {
  using enum graph::Product::Form;
  const graph::Product& product = operator_of(node.op).product;
  switch (product.form) {
    case kNone:
      return 0;
    case kConvolution:
      return each_times_inner(output_elements(graph, node), input_shape(graph, node, product.b));
    case kTransposedConvolution:
      return each_times_inner(graph::element_count(input_shape(graph, node, product.a)),
                              input_shape(graph, node, product.b));
    case kMatrices:
      return graph::element_count(
          {output_elements(graph, node), input_shape(graph, node, product.a).back()});
    case kGemm:
      return graph::element_count({output_elements(graph, node), gemm_depth(graph, node)});
    case kRecurrent:
      return recurrent_macs(graph, node);
  }
  throw InputError("unknown form of product");
}

}  // namespace

std::uint64_t count_macs(const Graph& graph, const Node& node) {
  try {
    return static_cast<std::uint64_t>(signed_macs(graph, node));
  } catch (const InputError&) {  // the number of elements of some shape overflows
    throw InputError(graph::node_label(node) + ": the number of MACs does not fit 63 bits");
  }
}

std::uint64_t count_macs(const Graph& graph) {
  std::uint64_t total = 0;
  for (const Node& node : graph.nodes) {
    if (__builtin_add_overflow(total, count_macs(graph, node), &total)) {
      throw InputError("network '" + graph.name + "': the number of MACs does not fit 64 bits");
    }
  }
  return total;
}

std::uint64_t count_parameters(const Graph& graph) {
  std::uint64_t total = 0;
  for (const ValueId value : graph::learned_constants(graph)) {
    total += static_cast<std::uint64_t>(graph::element_count(graph.type(value).shape));
  }
  return total;
}

}  // namespace weft::networks
