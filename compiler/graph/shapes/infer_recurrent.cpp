// LSTM, GRU and RNN. Shapes with D directions, G gates, a batch of B sequences of S steps, I inputs
// and H hidden values:
//
//   X [S, B, I]   W [D, G*H, I]   R [D, G*H, H]   B [D, 2*G*H]   initial_h, initial_c [D, B, H]
//   Y [S, D, B, H]   Y_h, Y_c [D, B, H]
//
// With layout 1 the batch comes first: X [B, S, I], Y [B, S, D, H], states [B, D, H].
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

struct Cell {
  std::int64_t gates;
  std::size_t activations;  // per direction
  bool cell_state;          // whether it has a cell state and peepholes
};

struct Dims {
  std::int64_t directions;
  std::int64_t steps;
  std::int64_t batch;
  std::int64_t inputs;
  std::int64_t hidden;
  bool batch_first;
};

std::int64_t directions_of(const NodeTypes& node) {
  expect_one_of(node.attributes, "direction", "forward", {"forward", "reverse", "bidirectional"});
  return node.attributes.text("direction", "forward") == "bidirectional" ? 2 : 1;
}

Dims dims_of(const NodeTypes& node) {
  expect_rank(node, 0, 3, 3);
  expect_rank(node, 2, 3, 3);
  const std::int64_t layout = node.attributes.integer("layout", 0);
  if (layout != 0 && layout != 1) throw InputError("attribute layout: must be 0 or 1");
  const Shape& x = shape_of(node, 0);
  const bool batch_first = layout == 1;
  return {directions_of(node),       batch_first ? x[1] : x[0],
          batch_first ? x[0] : x[1], x[2],
          shape_of(node, 2).back(),  batch_first};
}

Shape state_shape(const Dims& dims) {
  if (dims.batch_first) return {dims.batch, dims.directions, dims.hidden};
  return {dims.directions, dims.batch, dims.hidden};
}

Shape sequence_shape(const Dims& dims) {
  if (dims.batch_first) return {dims.batch, dims.steps, dims.directions, dims.hidden};
  return {dims.steps, dims.directions, dims.batch, dims.hidden};
}

void expect_activations(const NodeTypes& node, std::size_t count) {
  constexpr auto kKnown = std::to_array<std::string_view>(
      {"Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
       "HardSigmoid", "Elu", "Softsign", "Softplus"});
  if (!node.attributes.has("activations")) return;
  const std::vector<std::string> names = node.attributes.texts("activations");
  if (names.size() != count) {
    throw InputError(
        fmt::format("attribute activations: {} given, {} needed", names.size(), count));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(kKnown, name) == kKnown.end()) {
      throw InputError(fmt::format("attribute activations: '{}' is not supported", one_line(name)));
    }
  }
}

void expect_attributes(const NodeTypes& node, const Cell& cell, const Dims& dims) {
  expect_activations(node, cell.activations * static_cast<std::size_t>(dims.directions));
  const std::int64_t hidden = node.attributes.integer("hidden_size", dims.hidden);
  if (hidden != dims.hidden) {
    throw InputError(
        fmt::format("attribute hidden_size: {}, but the weights are for {}", hidden, dims.hidden));
  }
  if (node.attributes.has("clip") && !(node.attributes.real("clip", 0) > 0)) {
    throw InputError("attribute clip: must be above 0");
  }
}

ValueTypes infer_cell(const NodeTypes& node, const Cell& cell) {
  const Dims dims = dims_of(node);
  expect_attributes(node, cell, dims);
  const std::int64_t rows = checked_mul(cell.gates, dims.hidden);
  expect_shape(node, 1, {dims.directions, rows, dims.inputs});
  expect_shape(node, 2, {dims.directions, rows, dims.hidden});
  expect_shape(node, 3, {dims.directions, checked_mul(2, rows)});
  expect_shape(node, 4, {dims.batch});
  const ValueType state = {input(node, 0).type, state_shape(dims)};
  expect_shape(node, 5, state.shape);
  ValueTypes results = {{state.type, sequence_shape(dims)}, state};
  if (cell.cell_state) {
    expect_shape(node, 6, state.shape);
    expect_shape(node, 7, {dims.directions, checked_mul(3, dims.hidden)});
    results.push_back(state);
  }
  return results;
}

}  // namespace

ValueTypes infer_lstm(const NodeTypes& node) {
  return infer_cell(node, {4, 3, true});
}

ValueTypes infer_gru(const NodeTypes& node) {
  return infer_cell(node, {3, 2, false});
}

ValueTypes infer_rnn(const NodeTypes& node) {
  return infer_cell(node, {1, 1, false});
}

}  // namespace weft::graph
