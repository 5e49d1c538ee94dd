#include "models/reference/cuda/graph/operators.h"

#include <algorithm>

#include "models/reference/cuda/bodies/windows.h"

namespace weft::cuda {

using graph::DataType;
using graph::Graph;
using graph::Node;

const DeviceEntry& device_operator(Op op) {
  static const graph::OpArray<DeviceOperator> kOperators(
      "CUDA backend", {elementwise_operators(), product_operators(), convolution_operators(),
                       pool_operators(), reduction_operators(), normalization_operators(),
                       movement_operators(), indexed_operators()});
  return kOperators[op];
}

const DeviceOperator* find_operator(const Graph& graph, const Node& node) {
  const auto& found = device_operator(node.op).function;
  if (!found || node.outputs[0] == graph::kNoValue || !found->takes(graph, node)) return nullptr;
  return &*found;
}

bool takes_any(const Graph& graph, const Node& node) {
  const auto small = [&](graph::ValueId id) {
    return id == graph::kNoValue || graph.type(id).shape.size() <= kMaxDims;
  };
  return std::ranges::all_of(node.inputs, small) && std::ranges::all_of(node.outputs, small);
}

bool takes_inputs(const Graph& graph, const Node& node, DataType type) {
  return takes_any(graph, node) && std::ranges::all_of(node.inputs, [&](graph::ValueId id) {
           return id == graph::kNoValue || graph.type(id).type == type;
         });
}

bool takes_floats(const Graph& graph, const Node& node) {
  return takes_inputs(graph, node, DataType::kFloat32);
}

bool takes_float_data(const Graph& graph, const Node& node) {
  return takes_any(graph, node) && graph.type(node.inputs[0]).type == DataType::kFloat32;
}

bool takes_bools(const Graph& graph, const Node& node) {
  return takes_inputs(graph, node, DataType::kBool);
}

bool takes_window(const Graph& graph, const Node& node) {
  const std::size_t dims = graph.type(node.inputs[0]).shape.size();
  return takes_floats(graph, node) && dims >= 3 &&
         dims <= 2 + static_cast<std::size_t>(kMaxWindowDims);
}

}  // namespace weft::cuda
