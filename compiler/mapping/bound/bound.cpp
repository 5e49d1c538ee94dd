#include "compiler/mapping/bound/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/mapping/bound/array_demand.h"
#include "compiler/mapping/bound/chains.h"
#include "compiler/mapping/bound/demand.h"
#include "compiler/mapping/bound/vector_demand.h"

namespace weft::compiler {
namespace {

using graph::Graph;
using graph::Node;
using graph::Trait;
using graph::ValueId;

/// Joins values that may hold the same elements: an operator that moves elements joins its operands
/// and its result.
class Origins {
 public:
  explicit Origins(const Graph& graph) : parents_(graph.values.size()) {
    std::iota(parents_.begin(), parents_.end(), ValueId{0});
    for (const Node& node : graph.nodes) {
      const graph::Traits traits = graph::operator_of(node.op).traits;
      if (node.inputs.empty()) continue;
      const bool moves = traits.has(Trait::kView) || traits.has(Trait::kMovesNothing) ||
                         traits.has(Trait::kMovesElements);
      if (!moves) continue;
      // Inputs after the first are shapes, indices and the like, except those of Concat.
      const std::size_t operands = node.op == graph::Op::kConcat ? node.inputs.size() : 1;
      for (std::size_t i = 0; i < operands; ++i) join(node.inputs[i], node.inputs.front());
      for (const ValueId value : node.outputs) join(value, node.inputs.front());
    }
  }

  ValueId of(ValueId value) {
    while (parents_[value] != value) value = parents_[value] = parents_[parents_[value]];
    return value;
  }

 private:
  void join(ValueId a, ValueId b) {
    if (a != graph::kNoValue && b != graph::kNoValue) parents_[of(a)] = of(b);
  }

  std::vector<ValueId> parents_;
};

// --- Channels (section 5) ------------------------------------------------------------------------

/// Counts the elements that must come from the host or from the weight memory, and go to the host.
class TransferDemand {
 public:
  TransferDemand(const Graph& graph, const std::vector<bool>& on_host)
      : graph_(graph), made_by_machine_(graph.values.size(), false) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (on_host[i]) continue;
      for (const ValueId output : graph.nodes[i].outputs) {
        if (output != graph::kNoValue) made_by_machine_[output] = true;
      }
    }
  }

  /// The machine reads `count` elements of the value.
  void read(ValueId value, double count) {
    if (value == graph::kNoValue || made_by_machine_[value]) return;
    auto& all = graph_.is_constant(value) ? constants_ : inputs_;
    double& most = all[value];
    most = std::max(most, count);
  }

  /// In bytes, if an element of the array has `bytes`. 32-bit integers leave as they are.
  double constants(double bytes) const { return sum(constants_) * bytes; }
  double inputs_and_results(double bytes) const {
    double all = sum(inputs_) * bytes;
    for (const graph::Output& output : graph_.outputs) {
      if (!made_by_machine_[output.value]) continue;
      const bool is_sum = graph_.type(output.value).type == graph::DataType::kInt32;
      all += elements_of(graph_, output.value) * (is_sum ? 4 : bytes);
    }
    return all;
  }

 private:
  static double sum(const std::map<ValueId, double>& counts) {
    double all = 0;
    for (const auto& [value, count] : counts) all += count;
    return all;
  }

  const Graph& graph_;
  std::vector<bool> made_by_machine_;
  std::map<ValueId, double> constants_;
  std::map<ValueId, double> inputs_;
};

double cycles_of(double bytes, std::uint64_t bytes_per_s, const MachineConfig& config) {
  return bytes * static_cast<double>(config.clock_hz) / static_cast<double>(bytes_per_s);
}

// --- All -----------------------------------------------------------------------------------------

// Of sums of doubles with up to 2^12 terms.
constexpr double kRounding = 0x1p-40;

/// Less than the error of the sums, so that the next whole cycle is a bound.
Cycle whole_cycles(double cycles) {
  return static_cast<Cycle>(std::ceil(cycles * (1 - kRounding)));
}

void add_contraction(const ContractionDemand& demand, const Node& node, Origins& origins,
                     ArrayDemand& array) {
  const graph::Product& product = graph::operator_of(node.op).product;
  const ValueId first = node.inputs[product.a];
  const ValueId second = node.inputs[product.b];
  const bool by_first = demand.first > demand.second;
  array.add(demand, {.larger = origins.of(by_first ? first : second),
                     .smaller = origins.of(by_first ? second : first)});
}

class NetworkBound {
 public:
  NetworkBound(const Graph& graph, std::span<const std::size_t> host_nodes,
               const MachineConfig& config)
      : graph_(graph), config_(config), on_host_(graph.nodes.size(), false) {
    for (const std::size_t node : host_nodes) on_host_[node] = true;
  }

  Bound bound() const {
    ArrayDemand array(config_);
    VectorDemand lanes(graph_);
    TransferDemand transfers(graph_, on_host_);
    Origins origins(graph_);
    double vector = 0;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (on_host_[i]) continue;
      const Node& node = graph_.nodes[i];
      vector += lanes.lanes(node) / config_.array_cols;
      if (const auto demand = contraction_demand(graph_, node)) {
        const graph::Product& product = graph::operator_of(node.op).product;
        add_contraction(*demand, node, origins, array);
        transfers.read(node.inputs[product.a], demand->first);
        transfers.read(node.inputs[product.b], demand->second);
      }
    }
    for (const WeightChain& chain : weight_chains(graph_, on_host_)) {
      std::vector<ValueId> matrices;
      for (const ValueId weights : chain.weights) matrices.push_back(origins.of(weights));
      array.add_chain(matrices, elements_of(graph_, chain.weights.front()), chain.steps);
    }
    Bound bound;
    bound.array = array.array();
    bound.vector = vector + array.drained();
    add_channels(transfers, bound);
    const double units = array.least(vector);
    const double channels = channel_cycles(transfers);
    bound.by = by(bound, units >= channels);
    bound.cycles = whole_cycles(std::max(units, channels));
    return bound;
  }

 private:
  double element_size() const { return static_cast<double>(element_bytes(config_.dtype)); }

  void add_channels(const TransferDemand& transfers, Bound& bound) const {
    const double weights = transfers.constants(element_size());
    const double others = transfers.inputs_and_results(element_size());
    if (config_.memory_kind == MemoryKind::kShared) {
      bound.memory = cycles_of(weights + others, config_.memory_bytes_per_s, config_);
    } else if (config_.memory_kind == MemoryKind::kSplit) {
      bound.memory = cycles_of(weights, config_.memory_bytes_per_s, config_);
      bound.host = cycles_of(others, config_.host_bytes_per_s, config_);
    }
  }

  /// Weights may also come through the host link, as activations do.
  double channel_cycles(const TransferDemand& transfers) const {
    const double weights = transfers.constants(element_size());
    const double others = transfers.inputs_and_results(element_size());
    const std::uint64_t memory = config_.memory_bytes_per_s;
    const std::uint64_t host = config_.host_bytes_per_s;
    switch (config_.memory_kind) {
      case MemoryKind::kIdeal:
        return 0;
      case MemoryKind::kShared:
        return cycles_of(weights + others, memory, config_);
      case MemoryKind::kSplit:
        return std::max(cycles_of(others, host, config_),
                        cycles_of(weights + others, memory + host, config_));
    }
    return 0;
  }

  static BoundBy by(const Bound& bound, bool unit) {
    if (unit) return bound.array >= bound.vector ? BoundBy::kArray : BoundBy::kVectorUnit;
    return bound.memory >= bound.host ? BoundBy::kMemory : BoundBy::kHostLink;
  }

  const Graph& graph_;
  const MachineConfig& config_;
  std::vector<bool> on_host_;
};

}  // namespace

std::string_view to_string(BoundBy by) {
  constexpr std::array<std::string_view, 4> kNames = {"array", "vector unit", "memory",
                                                      "host link"};
  return kNames[static_cast<std::size_t>(by)];
}

Bound lower_bound(const Graph& graph, std::span<const std::size_t> host_nodes,
                  const MachineConfig& config) {
  return NetworkBound(graph, host_nodes, config).bound();
}

std::vector<WorkBound> work_bounds(const Graph& graph, std::span<const std::size_t> part_of,
                                   std::size_t parts, const MachineConfig& config) {
  std::vector<ArrayDemand> arrays(parts, ArrayDemand(config));
  std::vector<double> vectors(parts);
  VectorDemand lanes(graph);
  Origins origins(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (part_of[i] == kNoPart) continue;
    const Node& node = graph.nodes[i];
    vectors[part_of[i]] += lanes.lanes(node) / config.array_cols;
    if (const auto demand = contraction_demand(graph, node)) {
      add_contraction(*demand, node, origins, arrays[part_of[i]]);
    }
  }
  std::vector<WorkBound> bounds;
  for (std::size_t i = 0; i < parts; ++i) {
    WorkBound bound;
    bound.array = arrays[i].work();
    bound.vector = vectors[i] + arrays[i].drained();
    bound.by = bound.array >= bound.vector ? BoundBy::kArray : BoundBy::kVectorUnit;
    bound.cycles = whole_cycles(arrays[i].least_work(vectors[i]));
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace weft::compiler
