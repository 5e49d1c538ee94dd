#include "models/training/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::training {

namespace {

/// A NaN counts as not within.
bool all_within(const graph::Tensor& tensor, float largest) {
  if (tensor.type() != graph::DataType::kFloat32) return true;
  return std::ranges::all_of(tensor.data<float>(), [&](float x) { return std::abs(x) <= largest; });
}

}  // namespace

bool all_finite(const graph::Tensor& tensor) {
  if (tensor.type() != graph::DataType::kFloat32) return true;
  return std::ranges::all_of(tensor.data<float>(), [](float x) { return std::isfinite(x); });
}

std::string first_beyond(const graph::Graph& graph, const NamedTensors& inputs, float largest) {
  const auto within = [&](const graph::Tensor& tensor) { return all_within(tensor, largest); };
  for (const auto& [name, tensor] : inputs) {
    if (!within(tensor)) return fmt::format("input {}", printable(name));
  }
  std::string first;
  reference::RunGraphOptions options;
  options.observer = [&](const graph::Node& node, std::span<const graph::Tensor> outputs) {
    if (first.empty() && !std::ranges::all_of(outputs, within)) first = node_label(node);
  };
  reference::run_graph(graph, inputs, options);
  return first;
}

}  // namespace weft::training
