#include "runtime/workload/token_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/figures.h"
#include "compiler/graph/learned.h"
#include "models/networks/networks.h"

namespace weft::runtime {
namespace {

std::uint64_t elements(const graph::Graph& graph, graph::ValueId value) {
  return static_cast<std::uint64_t>(graph::element_count(graph.type(value).shape));
}

std::unordered_set<graph::ValueId> tables(const graph::Graph& graph) {
  std::unordered_set<graph::ValueId> all;
  for (const graph::Node& node : graph.nodes) {
    if (node.op == graph::Op::kGather) all.insert(node.inputs.at(0));
  }
  return all;
}

}  // namespace

double TokenWork::weight_bytes(const MachineConfig& config) const {
  return static_cast<double>(weights) * element_bytes(config.dtype);
}

double TokenWork::cache_bytes(const MachineConfig& config) const {
  return static_cast<double>(cached) * element_bytes(config.dtype);
}

std::optional<double> TokenWork::memory_seconds(const MachineConfig& config) const {
  const auto memory = static_cast<double>(config.memory_bytes_per_s);
  const double all = weight_bytes(config) + cache_bytes(config);
  switch (config.memory_kind) {
    case MemoryKind::kIdeal:
      return std::nullopt;
    case MemoryKind::kShared:
      return all / memory;
    case MemoryKind::kSplit:
      break;
  }
  const auto host = static_cast<double>(config.host_bytes_per_s);
  const double both = memory + host;
  return std::max(cache_bytes(config) / host, all / both);
}

std::optional<TokenWork> token_work(const NetworkRequest& request, const graph::Graph& graph) {
  if (request.is_file || !networks::find_network(request.model).decodes) return std::nullopt;
  TokenWork work;
  work.tokens = elements(graph, graph.inputs.at(0));
  for (std::size_t i = 1; i < graph.inputs.size(); ++i) {
    work.cached += elements(graph, graph.inputs[i]);
  }
  const auto picked = tables(graph);
  for (const graph::ValueId value : graph::learned_constants(graph)) {
    if (!picked.contains(value)) work.weights += elements(graph, value);
  }
  return work;
}

std::string token_rate(double per_second) {
  // "millitokens" would be an odd unit.
  return per_second < 1 ? fmt::format("{:.3g} tokens/s", per_second) : si(per_second, "tokens/s");
}

}  // namespace weft::runtime
