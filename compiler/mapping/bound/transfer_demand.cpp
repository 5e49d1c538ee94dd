#include "compiler/mapping/bound/transfer_demand.h"

#include <algorithm>

#include "compiler/mapping/bound/demand.h"

namespace weft::compiler {
namespace {

using graph::ValueId;

double sum(const std::map<ValueId, double>& counts) {
  double all = 0;
  for (const auto& [value, count] : counts) all += count;
  return all;
}

}  // namespace

TransferDemand::TransferDemand(const graph::Graph& graph, const std::vector<bool>& on_host)
    : graph_(graph), made_by_machine_(graph.values.size(), false) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (on_host[i]) continue;
    for (const ValueId output : graph.nodes[i].outputs) {
      if (output != graph::kNoValue) made_by_machine_[output] = true;
    }
  }
}

void TransferDemand::read(ValueId value, double count) {
  if (value == graph::kNoValue || made_by_machine_[value]) return;
  double& most = (graph_.is_constant(value) ? constants_ : inputs_)[value];
  most = std::max(most, count);
}

double TransferDemand::constants(double bytes) const {
  return sum(constants_) * bytes;
}

double TransferDemand::inputs_and_results(double bytes) const {
  return sum(inputs_) * bytes + results(bytes, [](std::size_t) { return 1.0; });
}

double TransferDemand::results(double bytes,
                               const std::function<double(std::size_t)>& share) const {
  double all = 0;
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    const ValueId value = graph_.outputs[i].value;
    if (!made_by_machine_[value]) continue;
    const bool is_sum = graph_.type(value).type == graph::DataType::kInt32;
    all += elements_of(graph_, value) * (is_sum ? 4 : bytes) * share(i);
  }
  return all;
}

}  // namespace weft::compiler
