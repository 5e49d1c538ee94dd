#include "models/training/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/reference/cpu/run_graph.h"
#include "sim/config/printable.h"

namespace weft::training {

bool all_finite(const graph::Tensor& tensor) {
  if (tensor.type() != graph::DataType::kFloat32) return true;
  return std::ranges::all_of(tensor.data<float>(), [](float x) { return std::isfinite(x); });
}

std::string first_not_finite(const graph::Graph& graph, const NamedTensors& inputs) {
  for (const auto& [name, tensor] : inputs) {
    if (!all_finite(tensor)) return fmt::format("input {}", printable(name));
  }
  std::string first;
  reference::RunGraphOptions options;
  options.observer = [&](const graph::Node& node, std::span<const graph::Tensor> outputs) {
    if (first.empty() && !std::ranges::all_of(outputs, all_finite)) first = node_label(node);
  };
  reference::run_graph(graph, inputs, options);
  return first;
}

}  // namespace weft::training
