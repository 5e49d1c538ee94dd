#include "compiler/passes/simplify/decompose_recurrent.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/passes/rewrite/rewriter.h"
#include "compiler/passes/simplify/recurrent_cell.h"

namespace weft::passes {

using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

RecurrentDims dims_of(const Rewriter& rewriter, const Node& node) {
  const graph::Shape& x = rewriter.type(node.inputs[0]).shape;
  const graph::Shape& r = rewriter.type(node.inputs[2]).shape;
  return {x[0], x[1], x[2], r[2], r[0]};
}

bool is_constant_or_absent(const Rewriter& rewriter, ValueId value) {
  return value == kNoValue || rewriter.constant(value) != nullptr;
}

bool has_constant_weights(const Rewriter& rewriter, const Node& node) {
  constexpr std::array<std::size_t, 4> kWeightInputs = {1, 2, 3, 7};  // W, R, B, P
  return std::ranges::all_of(
      kWeightInputs, [&](std::size_t i) { return is_constant_or_absent(rewriter, node.input(i)); });
}

bool has_full_sequences(const Rewriter& rewriter, const Node& node, std::int64_t steps) {
  if (node.input(4) == kNoValue) return true;
  const Tensor* lengths = rewriter.ready(node.input(4));
  if (lengths == nullptr) return false;
  const std::vector<std::int64_t> list = graph::to_int64(*lengths);
  return std::ranges::count(list, steps) == std::ssize(list);
}

bool has_plain_activations(const Node& node) {
  constexpr auto kPlain = std::to_array<std::string_view>(
      {"Relu", "Tanh", "Sigmoid", "Softplus", "LeakyRelu", "HardSigmoid", "Elu"});
  if (!node.attributes.reals("activation_alpha").empty() ||
      !node.attributes.reals("activation_beta").empty()) {
    return false;
  }
  if (!node.attributes.has("activations")) return true;
  return std::ranges::all_of(node.attributes.texts("activations"), [&](const std::string& name) {
    return std::ranges::find(kPlain, name) != kPlain.end();
  });
}

bool is_batch_first(const Node& node) {
  return node.attributes.integer("layout", 0) == 1;
}

bool is_covered(const Rewriter& rewriter, const Node& node) {
  if (!has(node.op, graph::Trait::kRecurrent)) return false;
  const std::int64_t steps = rewriter.type(node.inputs[0]).shape[is_batch_first(node) ? 1 : 0];
  return !node.attributes.has("clip") && node.attributes.integer("input_forget", 0) == 0 &&
         has_plain_activations(node) && has_constant_weights(rewriter, node) &&
         has_full_sequences(rewriter, node, steps) && steps >= 1 && steps <= kMostSteps;
}

std::vector<ValueId> numbers_of(Rewriter& rewriter, const Node& node, const RecurrentDims& dims) {
  std::vector<ValueId> numbers;
  for (std::int64_t i = 0; i <= std::max(dims.steps, dims.directions); ++i) {
    numbers.push_back(
        rewriter.add_constant(Tensor::vector<std::int64_t>({i}), node.name + "/number"));
  }
  return numbers;
}

/// The results of each direction: the hidden states in the order of the sequence [S, 1, B, H], and
/// the states after the last step [1, B, H].
struct Results {
  std::vector<ValueId> sequences;
  std::vector<ValueId> hidden;
  std::vector<ValueId> cells;
};

void unroll(Rewriter& rewriter, const Node& node, const RecurrentDims& dims, bool reverse,
            RecurrentCell cell, const std::vector<ValueId>& numbers, Results& results) {
  RecurrentValues state = cell.initial_state();
  std::vector<ValueId> hidden(static_cast<std::size_t>(dims.steps));
  for (std::int64_t i = 0; i < dims.steps; ++i) {
    const std::int64_t t = reverse ? dims.steps - 1 - i : i;
    state = cell.step(t, state);
    hidden[static_cast<std::size_t>(t)] = state.hidden;
  }
  const ValueId sequence = rewriter.add(Op::kConcat, std::move(hidden), {{"axis", std::int64_t{0}}},
                                        node.name + "/sequence");
  results.sequences.push_back(
      rewriter.add(Op::kUnsqueeze, {sequence, numbers[1]}, {}, node.name + "/sequence"));
  results.hidden.push_back(state.hidden);
  results.cells.push_back(state.cell);
}

/// Makes output `i` of the node from one part per direction.
void join(Rewriter& rewriter, const Node& node, std::size_t i, std::vector<ValueId> parts,
          std::int64_t axis) {
  if (i >= node.outputs.size() || node.outputs[i] == kNoValue) return;
  if (parts.size() == 1) return rewriter.replace(node.outputs[i], parts[0]);
  rewriter.emit({Op::kConcat,
                 rewriter.unique(node.name + "/directions"),
                 std::move(parts),
                 {node.outputs[i]},
                 {{"axis", axis}}});
}

// --- Layout 1 ---

using Permutation = std::vector<std::int64_t>;

ValueId transpose(Rewriter& rewriter, ValueId value, Permutation perm, const std::string& name) {
  if (value == kNoValue) return value;
  return rewriter.add(Op::kTranspose, {value}, {{"perm", std::move(perm)}}, name + "/transpose");
}

/// `type` with its dimensions permuted: dimension i of the result is dimension perm[i] of `type`.
graph::ValueType permuted(const graph::ValueType& type, const Permutation& perm) {
  graph::ValueType result{type.type, {}};
  for (const std::int64_t axis : perm) {
    result.shape.push_back(type.shape[static_cast<std::size_t>(axis)]);
  }
  return result;
}

/// Replaces a node of layout 1 by a node of layout 0: transposes X [B, S, I] and the states
/// [B, D, H] before it, and the outputs after it.
bool put_sequence_first(Rewriter& rewriter, const Node& node) {
  if (!is_covered(rewriter, node) || !is_batch_first(node)) return false;
  const Permutation swapped = {1, 0, 2};
  Node inner = node;
  inner.attributes.erase("layout");
  inner.inputs[0] = transpose(rewriter, node.inputs[0], swapped, node.name);
  for (const std::size_t state : {kInitialHidden, kInitialCell}) {
    if (node.input(state) == kNoValue) continue;
    inner.inputs[state] = transpose(rewriter, node.inputs[state], swapped, node.name);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    // Y is [B, S, D, H] outside and [S, D, B, H] inside.
    const Permutation inward = i == 0 ? Permutation{1, 2, 0, 3} : swapped;
    inner.outputs[i] =
        rewriter.new_value(permuted(rewriter.type(node.outputs[i]), inward), node.name);
  }
  const std::vector<ValueId> inside = inner.outputs;
  rewriter.emit(std::move(inner));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    const Permutation outward = i == 0 ? Permutation{2, 0, 1, 3} : swapped;
    rewriter.emit({Op::kTranspose,
                   rewriter.unique(node.name + "/transpose"),
                   {inside[i]},
                   {node.outputs[i]},
                   {{"perm", outward}}});
  }
  return true;
}

bool decompose_recurrent_node(Rewriter& rewriter, const Node& node) {
  if (!is_covered(rewriter, node)) return false;
  const RecurrentDims dims = dims_of(rewriter, node);
  const std::vector<ValueId> numbers = numbers_of(rewriter, node, dims);
  const bool only_reverse = node.attributes.text("direction", "forward") == "reverse";
  Results results;
  for (std::int64_t d = 0; d < dims.directions; ++d) {
    unroll(rewriter, node, dims, only_reverse || d == 1,
           RecurrentCell(rewriter, node, dims, d, numbers), numbers, results);
  }
  join(rewriter, node, 0, std::move(results.sequences), 1);
  join(rewriter, node, 1, std::move(results.hidden), 0);
  join(rewriter, node, 2, std::move(results.cells), 0);
  return true;
}

}  // namespace

graph::Graph decompose_recurrent(graph::Graph graph) {
  return rewrite(rewrite(std::move(graph), put_sequence_first), decompose_recurrent_node);
}

}  // namespace weft::passes
