#include "runtime/compare/network_products.h"

#include <string>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/windows.h"
#include "models/devices/contractions.h"
#include "models/measurements/measurement.h"

namespace weft::runtime {
namespace {

using Json = nlohmann::ordered_json;
using Form = graph::Product::Form;

Json conv_json(const graph::Graph& graph, const graph::Node& node) {
  const graph::Product& product = graph::operator_of(node.op).product;
  if (product.form != Form::kConvolution) return nullptr;
  const graph::Shape& input = graph.type(node.inputs.at(0)).shape;
  const graph::Shape& weights = graph.type(node.inputs.at(product.b)).shape;
  const graph::Shape kernel(weights.begin() + 2, weights.end());
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> dilations;
  for (const graph::WindowDim& dim : graph::resolve_windows(node.attributes, input, kernel)) {
    strides.push_back(dim.stride);
    begins.push_back(dim.pad_begin);
    ends.push_back(dim.pad_end);
    dilations.push_back(dim.dilation);
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  return {{"input", input},         {"weights", weights},
          {"strides", strides},     {"pads", begins},
          {"dilations", dilations}, {"groups", node.attributes.integer("group", 1)}};
}

}  // namespace

Json network_products(const graph::Graph& graph) {
  Json products = Json::array();
  for (const graph::Node& node : graph.nodes) {
    const auto shape = devices::contraction_of(graph, node);
    if (!shape) continue;
    products.push_back({{"name", node.name},
                        {"op", to_string(node.op)},
                        {"shape", measurements::shape_text(*shape)},
                        {"conv", conv_json(graph, node)}});
  }
  return products;
}

}  // namespace weft::runtime
