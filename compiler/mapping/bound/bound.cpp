#include "compiler/mapping/bound/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/mapping/bound/array_demand.h"
#include "compiler/mapping/bound/chains.h"
#include "compiler/mapping/bound/demand.h"
#include "compiler/mapping/bound/needs.h"
#include "compiler/mapping/bound/transfer_demand.h"
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

double cycles_of(double bytes, std::uint64_t bytes_per_s, const MachineConfig& config) {
  return bytes * static_cast<double>(config.clock_hz) / static_cast<double>(bytes_per_s);
}

// --- All -----------------------------------------------------------------------------------------

// Of sums of doubles with up to 2^12 terms.
constexpr double kRounding = 0x1p-40;

// Each time at which work might begin looks at all nodes, so large networks try fewer of them.
constexpr std::size_t kMostBegins = 64;
constexpr std::size_t kMostNodesOfBegins = 1U << 17U;

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

/// The share of something that needs at least `least` weights.
double share_of(const std::vector<Need>& needs, double least) {
  double share = 0;
  bool all = true;
  for (const Need& need : needs) {
    const bool counts = need.weights >= least;
    if (counts) share += need.share;
    all = all && counts;
  }
  return all ? 1 : share;
}

class NetworkBound {
 public:
  NetworkBound(const Graph& graph, std::span<const std::size_t> host_nodes,
               const MachineConfig& config)
      : graph_(graph), config_(config), on_host_(graph.nodes.size(), false), origins_(graph) {
    for (const std::size_t node : host_nodes) on_host_[node] = true;
  }

  Bound bound() {
    TransferDemand transfers(graph_, on_host_);
    count_work(transfers);
    const auto [array, vector] = units(0);
    Bound bound;
    bound.array = array.array();
    bound.vector = vector + array.drained();
    add_channels(transfers, bound);
    const double units = array.least(vector);
    const double channels = channel_cycles(transfers);
    bound.by = by(bound, units >= channels);
    raise(std::max(units, channels), bound.by, bound);
    add_begin(transfers, bound);
    return bound;
  }

 private:
  /// What a node of the machine asks of the units.
  struct Work {
    std::size_t node = 0;
    double vector = 0;  // cycles of the vector unit besides those in which it drains sums
    double last = 0;    // those of them that write the result
    std::optional<ContractionDemand> demand;
    std::vector<Need> results;  // for the elements of its result
    // Weights that must have come before the operands of a contraction are known: any elements, and
    // those of the last row, if its second operand is a matrix of weights.
    double operands = 0;
    double last_row = 0;
  };
  struct Units {
    ArrayDemand array;
    double vector = 0;
  };

  void count_work(TransferDemand& transfers) {
    VectorDemand lanes(graph_);
    Needs needs(graph_, on_host_);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (on_host_[i]) continue;
      const Node& node = graph_.nodes[i];
      Work work;
      work.node = i;
      const double all = elements_of(graph_, node.outputs.front());
      work.vector = lanes.lanes(node) / config_.array_cols;
      work.last = std::min(work.vector, all / config_.array_cols);
      work.demand = contraction_demand(graph_, node);
      if (begins_late()) work.results = needs.of_elements(node.outputs.front());
      if (work.demand) {
        const graph::Product& product = graph::operator_of(node.op).product;
        const ValueId first = node.inputs[product.a];
        const ValueId second = node.inputs[product.b];
        transfers.read(first, work.demand->first);
        transfers.read(second, work.demand->second);
        if (begins_late()) work.operands = needs.of_all({first, second});
        if (begins_late()) work.last_row = of_last_row(node, needs);
      }
      works_.push_back(std::move(work));
    }
    if (!begins_late()) return;
    for (const graph::Output& output : graph_.outputs) {
      results_.push_back(needs.of_elements(output.value));
    }
  }

  /// 0 if the node is no product of rows with a matrix of weights. The last row is the last step of
  /// a recurrence, which needs the most.
  double of_last_row(const Node& node, Needs& needs) const {
    using Form = graph::Product::Form;
    const graph::Product& product = graph::operator_of(node.op).product;
    const ValueId weights = node.inputs[product.b];
    const bool rows = product.form == Form::kMatrices ||
                      (product.form == Form::kGemm && node.attributes.integer("transA", 0) == 0);
    if (!rows || !graph_.is_constant(weights) || graph_.type(weights).shape.size() != 2) return 0;
    const ValueId value = node.inputs[product.a];
    if (elements_of(graph_, value) <= 0) return 0;
    Elements elements = any_element(graph_, value);
    for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
      const std::int64_t extent = graph_.type(value).shape[i];
      elements[i] = AxisRange{extent - 1, extent};
    }
    return needs.of(value, elements);
  }

  /// The demand of one row of a product with a matrix.
  static ContractionDemand last_row(const ContractionDemand& all) {
    const auto depth = static_cast<double>(all.sums.front().depth);
    return {.sums = {{all.second / depth, all.sums.front().depth}},
            .first = depth,
            .second = all.second};
  }

  /// What needs at least `least` elements of weights asks of the units.
  Units units(double least) {
    Units units{.array = ArrayDemand(config_)};
    std::vector<bool> left_out = on_host_;
    for (const Work& work : works_) {
      units.vector += least > 0 ? work.last * share_of(work.results, least) : work.vector;
      if (!work.demand) continue;
      const Node& node = graph_.nodes[work.node];
      left_out[work.node] = work.operands < least;
      if (!left_out[work.node]) {
        add_contraction(*work.demand, node, origins_, units.array);
      } else if (work.last_row >= least) {
        add_contraction(last_row(*work.demand), node, origins_, units.array);
      }
    }
    if (least > 0 && !has_chains_) return units;
    const std::vector<WeightChain> chains = weight_chains(graph_, left_out);
    has_chains_ = has_chains_ || !chains.empty();
    for (const WeightChain& chain : chains) {
      std::vector<ValueId> matrices;
      for (const ValueId weights : chain.weights) matrices.push_back(origins_.of(weights));
      units.array.add_chain(matrices, elements_of(graph_, chain.weights.front()), chain.steps);
    }
    return units;
  }

  static void raise(double cycles, BoundBy by, Bound& bound) {
    const Cycle whole = whole_cycles(cycles);
    if (whole > bound.cycles) bound.by = by;
    bound.cycles = std::max(bound.cycles, whole);
  }

  // --- Weights that come first (section 5) ---

  bool begins_late() const { return config_.memory_kind != MemoryKind::kIdeal; }

  /// Different numbers of weights that come before some work: all of them or some, evenly spread.
  std::vector<double> begins() const {
    std::set<double> all;
    for (const Work& work : works_) {
      for (const Need& need : work.results) all.insert(need.weights);
      if (work.demand) all.insert({work.operands, work.last_row});
    }
    for (const auto& needs : results_) {
      for (const Need& need : needs) all.insert(need.weights);
    }
    all.erase(0);
    const std::vector<double> sorted(all.begin(), all.end());
    const std::size_t most =
        std::min(kMostBegins, kMostNodesOfBegins / std::max<std::size_t>(1, graph_.nodes.size()));
    if (sorted.size() <= most) return sorted;
    std::vector<double> some;
    for (std::size_t i = 1; i <= most; ++i) some.push_back(sorted[sorted.size() * i / most - 1]);
    return some;
  }

  /// The time until some weights have come, and what cannot begin before.
  void add_begin(const TransferDemand& transfers, Bound& bound) {
    const bool split = config_.memory_kind == MemoryKind::kSplit;
    const std::uint64_t rate = config_.memory_bytes_per_s + (split ? config_.host_bytes_per_s : 0);
    // Tiles that lie in the array then, and a last one after which no swap need follow.
    const double tiles = 2.0 * std::min(config_.array_rows, config_.array_cols);
    for (const double least : begins()) {
      const double begin = cycles_of(least * element_size(), rate, config_);
      const auto [array, vector] = units(least);
      const double late = array.least_work(vector) - tiles;
      const bool by_array = array.work() >= vector + array.drained();
      const BoundBy unit = by_array ? BoundBy::kArray : BoundBy::kVectorUnit;
      raise(begin + late, begin > late ? BoundBy::kMemory : unit, bound);
      if (!split) continue;
      const double bytes = transfers.results(
          element_size(), [&](std::size_t output) { return share_of(results_[output], least); });
      const double leaving = cycles_of(bytes, config_.host_bytes_per_s, config_);
      raise(begin + leaving, begin > leaving ? BoundBy::kMemory : BoundBy::kHostLink, bound);
    }
  }

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
  Origins origins_;
  std::vector<Work> works_;                 // of each node of the machine
  std::vector<std::vector<Need>> results_;  // of each output of the network
  bool has_chains_ = false;                 // if all work counts
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
