#include "compiler/mapping/bound/chains.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compiler/graph/operator_table.h"
#include "compiler/mapping/bound/demand.h"

namespace weft::compiler {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Trait;
using graph::ValueId;

/// The second operand of a product of rows with one square matrix, else nullopt.
std::optional<ValueId> square_weights(const Graph& graph, const Node& node) {
  using Form = graph::Product::Form;
  const graph::Product& product = graph::operator_of(node.op).product;
  if (product.form != Form::kMatrices && product.form != Form::kGemm) return std::nullopt;
  if (node.attributes.integer("transA", 0) != 0) return std::nullopt;
  const ValueId weights = node.inputs[product.b];
  const graph::Shape& shape = graph.type(weights).shape;
  if (shape.size() != 2 || shape[0] != shape[1]) return std::nullopt;
  return weights;
}

/// How many of the first inputs may hold, at the same position, what an element depends on.
std::size_t operands_in_place(const Node& node) {
  const graph::Traits traits = graph::operator_of(node.op).traits;
  if (traits.has(Trait::kBinary)) return node.inputs.size();
  const bool first = traits.has(Trait::kFunction) || traits.has(Trait::kKeepsOrder) ||
                     traits.has(Trait::kNormalization) || traits.has(Trait::kSoftmaxLike) ||
                     (traits.has(Trait::kQuantized) && !traits.has(Trait::kContraction));
  return first ? std::min<std::size_t>(1, node.inputs.size()) : 0;
}

/// Follows the chains of one matrix through the nodes, in their order.
class Chain {
 public:
  Chain(const Graph& graph, ValueId weights)
      : graph_(graph), weights_(weights), steps_(graph.values.size(), 0) {}

  void follow(const Node& node, bool on_host) {
    const ValueId output = node.outputs.front();
    if (output == kNoValue) return;
    const std::optional<ValueId> weights = square_weights(graph_, node);
    if (weights) {
      // Each result depends on the whole row of the operand.
      const bool is_step = !on_host && weights == weights_;
      steps_[output] =
          steps_[node.inputs[graph::operator_of(node.op).product.a]] + (is_step ? 1 : 0);
      longest_ = std::max(longest_, steps_[output]);
    } else {
      steps_[output] = steps_before(node, output);
    }
  }

  std::size_t longest() const { return longest_; }

 private:
  // As many elements as the result has, so nothing is broadcast: positions are the same.
  std::size_t steps_before(const Node& node, ValueId output) const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < operands_in_place(node); ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNoValue || steps_[input] <= most) continue;
      if (elements_of(graph_, input) == elements_of(graph_, output)) most = steps_[input];
    }
    return most;
  }

  const Graph& graph_;
  const ValueId weights_;
  std::vector<std::size_t> steps_;  // of the longest chain whose last results a value follows
  std::size_t longest_ = 0;
};

/// The nodes that use one matrix.
struct Uses {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<ValueId> operands;  // the first one of each
};

std::map<ValueId, Uses> uses_of_matrices(const Graph& graph, const std::vector<bool>& on_host) {
  std::map<ValueId, Uses> all;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (on_host[i]) continue;
    const std::optional<ValueId> weights = square_weights(graph, graph.nodes[i]);
    if (!weights) continue;
    Uses& uses =
        all.try_emplace(*weights, Uses{.first = i, .last = i, .operands = {}}).first->second;
    uses.last = i;
    const Node& node = graph.nodes[i];
    uses.operands.push_back(node.inputs[graph::operator_of(node.op).product.a]);
  }
  return all;
}

}  // namespace

std::vector<WeightChain> weight_chains(const Graph& graph, const std::vector<bool>& on_host) {
  std::vector<WeightChain> chains;
  std::map<std::vector<ValueId>, std::size_t> together;  // by the operands of all steps
  for (const auto& [weights, uses] : uses_of_matrices(graph, on_host)) {
    const std::size_t count = uses.operands.size();
    if (count < 3) continue;
    Chain chain(graph, weights);
    for (std::size_t i = uses.first; i <= uses.last; ++i) {
      chain.follow(graph.nodes[i], on_host[i]);
    }
    const auto [known, is_new] = together.try_emplace(uses.operands, chains.size());
    // If all contractions are steps, then each operand depends on the results of the step before,
    // with every matrix of the chain.
    if (!is_new && chain.longest() == count && chains[known->second].steps == count) {
      chains[known->second].weights.push_back(weights);
    } else {
      chains.push_back({{weights}, chain.longest()});
    }
  }
  return chains;
}

}  // namespace weft::compiler
