// The lower bound of contractions that use the same weights step after step: cycles by hand, and
// random recurrent networks, none of which may take fewer cycles than their bound.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/mapping/bound/bound.h"
#include "compiler/schedule/network_bound.h"
#include "models/networks/layers.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"
#include "tests/schedule/random_machine.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::ValueId;
using networks::Layers;

// --- By hand -------------------------------------------------------------------------------------

constexpr std::int64_t kSide = 40;  // the weights are 40 x 40

ValueId input(Builder& builder, const std::string& name, Shape shape) {
  return builder.input(name, {DataType::kFloat32, std::move(shape)});
}

ValueId weights(Builder& builder, const std::string& name) {
  return input(builder, name, {kSide, kSide});
}

ValueId product(Builder& builder, ValueId rows, ValueId matrix) {
  return builder.add(Op::kMatMul, {rows, matrix});
}

ValueId reshaped(Builder& builder, ValueId value, Shape shape) {
  return builder.add(Op::kReshape, {value, builder.constant(graph::Tensor::vector(shape))});
}

/// The bound of a network on an ideal machine of 8 x 8.
Cycle bound_of(const std::function<void(Builder&)>& build) {
  Builder builder("steps");
  build(builder);
  MachineConfig config = load_preset("tiny");
  config.array_rows = 8;
  config.array_cols = 8;
  config.memory_kind = MemoryKind::kIdeal;
  return lower_bound(builder.finish(), {}, config).cycles;
}

using Link = std::function<ValueId(Builder&, ValueId)>;

ValueId tanh_of(Builder& builder, ValueId value) {
  return builder.add(Op::kTanh, {value});
}

/// `steps` products of `rows` rows with the same weights, each of the linked result of the one
/// before.
Cycle bound_of_steps(int steps, std::int64_t rows, const Link& link = tanh_of) {
  return bound_of([&](Builder& builder) {
    const ValueId u = weights(builder, "u");
    ValueId h = input(builder, "h", {rows, kSide});
    for (int i = 0; i < steps; ++i) h = link(builder, product(builder, h, u));
    builder.output(h, "y");
  });
}

// One span: (40 * 40 - 2 * 8 * 8) / 8 = 184 cycles. All weights once: 1600 / 8 = 200 cycles. Sums:
// 40 * 5 / 8 = 25 cycles for each step and row of the batch. Around them: 8 + 8 - 2 cycles, and the
// first 8 pushes unless the weights once have counted them.
constexpr Cycle kSpan = 184;
constexpr Cycle kOnce = 200 + 14;
constexpr Cycle kAround = 14 + 8;

TEST(RecurrentBoundTest, EverySecondStepTakesTheWeightsAgain) {
  EXPECT_EQ(bound_of_steps(1, 1), kOnce);
  EXPECT_EQ(bound_of_steps(2, 1), kOnce);
  EXPECT_EQ(bound_of_steps(3, 1), 2 * kSpan + kAround);
  EXPECT_EQ(bound_of_steps(4, 1), 2 * kSpan + kAround);
  EXPECT_EQ(bound_of_steps(5, 1), 3 * kSpan + kAround);
}

TEST(RecurrentBoundTest, RowsOfABatchShareTheWeights) {
  EXPECT_EQ(bound_of_steps(5, 2), 3 * kSpan + kAround);
  EXPECT_EQ(bound_of_steps(5, 5), 5 * 5 * 25 + kAround);
}

TEST(RecurrentBoundTest, AChainPassesWhatKeepsPositions) {
  const Cycle chain = 3 * kSpan + kAround;
  EXPECT_EQ(bound_of_steps(5, 1, [](Builder&, ValueId y) { return y; }), chain);
  EXPECT_EQ(bound_of_steps(5, 1,
                           [](Builder& b, ValueId y) {
                             return reshaped(b, tanh_of(b, reshaped(b, y, {kSide, 1})), {1, kSide});
                           }),
            chain);
  EXPECT_EQ(bound_of_steps(5, 1,
                           [](Builder& b, ValueId y) {
                             const ValueId gate = b.add(Op::kSigmoid, {y});
                             return b.add(Op::kMul, {gate, tanh_of(b, y)});
                           }),
            chain);
}

TEST(RecurrentBoundTest, HalfOfAResultIsNoLink) {
  const Link half = [step = 0](Builder& b, ValueId y) mutable {
    const auto number = [&](std::int64_t n) {
      return b.constant(graph::Tensor::vector<std::int64_t>({n}));
    };
    const ValueId part = b.add(Op::kSlice, {y, number(0), number(kSide / 2), number(1)});
    const ValueId other = input(b, "other" + std::to_string(step++), {1, kSide / 2});
    return b.add(Op::kConcat, {part, other}, {{"axis", std::int64_t{1}}});
  };
  EXPECT_EQ(bound_of_steps(5, 1, half), kOnce);
}

TEST(RecurrentBoundTest, AChainEndsWhereAStepDoesNotNeedTheOneBefore) {
  const auto broken_at = [](int fresh) {
    return [fresh, step = 0](Builder& b, ValueId y) mutable {
      return ++step == fresh ? input(b, "fresh", {1, kSide}) : tanh_of(b, y);
    };
  };
  EXPECT_EQ(bound_of_steps(7, 1, broken_at(2)), 3 * kSpan + kAround);  // steps 3 to 7
  EXPECT_EQ(bound_of_steps(7, 1, broken_at(4)), 2 * kSpan + kAround);  // steps 1 to 4
}

// Two chains may run side by side, so that every tile serves both.
TEST(RecurrentBoundTest, ChainsOfTheSameWeightsShareThem) {
  const Cycle both = bound_of([](Builder& builder) {
    const ValueId u = weights(builder, "u");
    for (const int steps : {3, 5}) {
      ValueId h = input(builder, "h" + std::to_string(steps), {1, kSide});
      for (int i = 0; i < steps; ++i) h = tanh_of(builder, product(builder, h, u));
      builder.output(h, "y" + std::to_string(steps));
    }
  });
  EXPECT_EQ(both, 3 * kSpan + kAround);
}

TEST(RecurrentBoundTest, ChainsOfDifferentWeightsAddUp) {
  const Cycle gates = bound_of([](Builder& builder) {
    const ValueId u = weights(builder, "u");
    const ValueId v = weights(builder, "v");
    ValueId h = input(builder, "h", {1, kSide});
    for (int i = 0; i < 5; ++i) {
      const ValueId gate = builder.add(Op::kSigmoid, {product(builder, h, v)});
      h = builder.add(Op::kMul, {gate, tanh_of(builder, product(builder, h, u))});
    }
    builder.output(h, "y");
  });
  EXPECT_EQ(gates, 2 * 3 * kSpan + kAround);
}

// Rows of b may meet columns of a and of d in the same tile: then the way of b into the array costs
// nothing more than the sums, 40 / 8 = 5 cycles with a and 64 * 40 / 8 = 320 with d.
TEST(RecurrentBoundTest, AnOperandThatStreamsForALargerOneCountsBySums) {
  const Cycle both = bound_of([](Builder& builder) {
    const ValueId b = input(builder, "b", {8, 40});
    builder.output(product(builder, input(builder, "a", {1, 8}), b), "x");
    builder.output(product(builder, input(builder, "d", {64, 8}), b), "y");
  });
  EXPECT_EQ(both, 5 + 320 + kAround);
}

// --- Runs ----------------------------------------------------------------------------------------

/// A recurrent layer over a few steps, then a product of all its results.
graph::Graph random_recurrence(Random& random, int steps) {
  constexpr std::array<std::string_view, 3> kDirections = {"forward", "reverse", "bidirectional"};
  const Op op = random.one_of({Op::kLstm, Op::kGru, Op::kRnn});
  const std::int64_t gates = op == Op::kLstm ? 4 : op == Op::kGru ? 3 : 1;
  const auto direction = static_cast<std::size_t>(random.between(0, 2));
  const std::int64_t sides = direction == 2 ? 2 : 1;
  const std::int64_t hidden = random.between(1, 40);
  const std::int64_t inputs = random.between(1, 20);
  const std::int64_t batch = random.chance(50) ? 1 : random.between(2, 12);
  Layers net("recurrence", 6);
  const ValueId x = net.input("x", DataType::kFloat32, {steps, batch, inputs});
  const ValueId w = net.parameter("w", {sides, gates * hidden, inputs}, {0, 0.6F});
  const ValueId r = net.parameter("r", {sides, gates * hidden, hidden}, {0, 0.4F});
  const ValueId b = net.parameter("b", {sides, 2 * gates * hidden}, {0, 0.2F});
  graph::Attributes attributes = {{"hidden_size", hidden},
                                  {"direction", std::string(kDirections[direction])}};
  if (op == Op::kGru) attributes.set("linear_before_reset", random.between(0, 1));
  const ValueId y = net.add(op, {x, w, r, b}, attributes, "cell");
  const ValueId flat = net.reshape(y, {steps * sides * batch, hidden}, "flat");
  return net.finish(net.dense(flat, random.between(1, 20), "decoder"), "out");
}

TEST(RecurrentBoundTest, NoRunOfARecurrenceTakesFewerCycles) {
  constexpr std::uint64_t kSeed = 20261125;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  int by_array = 0;
  for (int i = 0; i < 60; ++i) {
    const int steps = static_cast<int>(random.between(1, 9));
    const graph::Graph built = random_recurrence(random, steps);
    const ElementType dtype = random.chance(70) ? ElementType::kBf16 : ElementType::kInt8;
    const graph::Graph graph = dtype == ElementType::kInt8 ? quantized(built) : prepared(built);
    const MachineConfig config = random_machine(random, dtype);
    const ScheduledNetwork scheduled = schedule_network(graph, config);
    const runtime::NetworkRun run = runtime::time_network(scheduled, config);
    ASSERT_TRUE(run.bound);
    EXPECT_GE(run.total, run.bound->cycles) << "network " << i << ", " << steps << " steps";
    if (steps > 2 && run.bound->by == BoundBy::kArray) ++by_array;
  }
  EXPECT_GT(by_array, 10);
}

}  // namespace
}  // namespace weft::compiler::testing
