// LSTM, GRU and RNN layers of any direction, with a few units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/graph/graph.h"
#include "models/networks/layers.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {

/// A recurrent layer, then a product of all its results.
inline graph::Graph random_recurrence(Random& random, int steps) {
  constexpr std::array<std::string_view, 3> kDirections = {"forward", "reverse", "bidirectional"};
  const graph::Op op = random.one_of({graph::Op::kLstm, graph::Op::kGru, graph::Op::kRnn});
  const std::int64_t gates = op == graph::Op::kLstm ? 4 : op == graph::Op::kGru ? 3 : 1;
  const auto direction = static_cast<std::size_t>(random.between(0, 2));
  const std::int64_t sides = direction == 2 ? 2 : 1;
  const std::int64_t hidden = random.between(1, 40);
  const std::int64_t inputs = random.between(1, 20);
  const std::int64_t batch = random.chance(50) ? 1 : random.between(2, 12);
  networks::Layers net("recurrence", 6);
  const graph::ValueId x = net.input("x", graph::DataType::kFloat32, {steps, batch, inputs});
  const graph::ValueId w = net.parameter("w", {sides, gates * hidden, inputs}, {0, 0.6F});
  const graph::ValueId r = net.parameter("r", {sides, gates * hidden, hidden}, {0, 0.4F});
  const graph::ValueId b = net.parameter("b", {sides, 2 * gates * hidden}, {0, 0.2F});
  graph::Attributes attributes = {{"hidden_size", hidden},
                                  {"direction", std::string(kDirections[direction])}};
  if (op == graph::Op::kGru) attributes.set("linear_before_reset", random.between(0, 1));
  const graph::ValueId y = net.add(op, {x, w, r, b}, attributes, "cell");
  const graph::ValueId flat = net.reshape(y, {steps * sides * batch, hidden}, "flat");
  return net.finish(net.dense(flat, random.between(1, 20), "decoder"), "out");
}

}  // namespace weft::compiler::testing
