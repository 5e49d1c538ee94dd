// The lower bound of contractions that use the same weights step after step. Small cases have
// cycles computed by hand. Random recurrent networks must take at least as many cycles as the
// bound.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/mapping/bound/bound.h"
#include "compiler/schedule/network_bound.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/random_recurrence.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::ValueId;

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

ValueId reshaped(Builder& builder, ValueId value, const Shape& shape) {
  return builder.add(Op::kReshape, {value, builder.constant(graph::Tensor::vector(shape))});
}

/// The bound of a network on an ideal machine of 8 x 8.
Cycle bound_of(const std::function<void(Builder&)>& build,
               const std::vector<std::size_t>& host_nodes = {}) {
  Builder builder("steps");
  build(builder);
  MachineConfig config = load_preset("tiny");
  config.array_rows = 8;
  config.array_cols = 8;
  config.memory_kind = MemoryKind::kIdeal;
  return lower_bound(builder.finish(), host_nodes, config).cycles;
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

// One span: (40 * 40 - 8 * 8) / 8 = 192 cycles, and 8 * 8 / 8 = 8 fewer in the last one. All
// weights once: 1600 / 8 = 200 cycles. Sums: 40 * 5 / 8 = 25 cycles for each step and row of the
// batch. Around them: 8 + 8 - 2 cycles, and the first 8 pushes unless the weights once have counted
// them.
constexpr Cycle kOnce = 200 + 14;
constexpr Cycle kAround = 14 + 8;
constexpr Cycle spans(Cycle count) {
  return count * 192 - 8;
}

TEST(RecurrentBoundTest, EverySecondStepTakesTheWeightsAgain) {
  EXPECT_EQ(bound_of_steps(1, 1), kOnce);
  EXPECT_EQ(bound_of_steps(2, 1), kOnce);
  EXPECT_EQ(bound_of_steps(3, 1), spans(2) + kAround);
  EXPECT_EQ(bound_of_steps(4, 1), spans(2) + kAround);
  EXPECT_EQ(bound_of_steps(5, 1), spans(3) + kAround);
}

TEST(RecurrentBoundTest, RowsOfABatchShareTheWeights) {
  EXPECT_EQ(bound_of_steps(5, 2), spans(3) + kAround);
  EXPECT_EQ(bound_of_steps(5, 5), 5 * 5 * 25 + kAround);
}

TEST(RecurrentBoundTest, AChainPassesWhatKeepsPositions) {
  const std::vector<Link> links = {
      [](Builder&, ValueId y) { return y; },
      [](Builder& b, ValueId y) {
        return reshaped(b, tanh_of(b, reshaped(b, y, {kSide, 1})), {1, kSide});
      },
      [](Builder& b, ValueId y) {
        return b.add(Op::kMul, {b.add(Op::kSigmoid, {y}), tanh_of(b, y)});
      },
      [](Builder& b, ValueId y) {
        return b.add(Op::kLayerNormalization,
                     {y, b.constant(graph::Tensor::vector(std::vector<float>(kSide, 1)))});
      },
      [](Builder& b, ValueId y) {
        const ValueId scale = b.constant(graph::Tensor::scalar(0.5F));
        return b.add(Op::kDequantizeLinear, {b.add(Op::kQuantizeLinear, {y, scale}), scale});
      },
  };
  for (const Link& link : links) EXPECT_EQ(bound_of_steps(5, 1, link), spans(3) + kAround);
}

TEST(RecurrentBoundTest, IntegerStepsAreAChain) {
  const Cycle steps = bound_of([](Builder& builder) {
    const ValueId u = builder.input("u", {DataType::kInt8, {kSide, kSide}});
    const ValueId scale = builder.constant(graph::Tensor::scalar(0.5F));
    const ValueId zero = builder.constant(graph::Tensor::scalar(std::int8_t{0}));
    ValueId h = builder.input("h", {DataType::kInt8, {1, kSide}});
    for (int i = 0; i < 5; ++i) {
      h = builder.add(Op::kQLinearMatMul, {h, scale, zero, u, scale, zero, scale, zero});
    }
    builder.output(h, "y");
  });
  EXPECT_EQ(steps, spans(3) + kAround);
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

// The second product has two rows. Its rows and the first product's row are not the same.
TEST(RecurrentBoundTest, AChainKeepsItsRows) {
  const Link more_rows = [](Builder& b, ValueId y) {
    if (b.type(y).shape[0] == 2) return tanh_of(b, y);
    return b.add(Op::kAdd, {y, input(b, "other", {2, kSide})});
  };
  EXPECT_EQ(bound_of_steps(3, 1, more_rows), kOnce);
  EXPECT_EQ(bound_of_steps(4, 1, more_rows), spans(2) + kAround);  // steps 2 to 4
}

// Nodes 0, 2, 4, 6 and 8 are the products, the others functions.
TEST(RecurrentBoundTest, TheHostMayComputeSomeNodesOfAChain) {
  const auto steps_with = [](const std::vector<std::size_t>& host_nodes) {
    return bound_of(
        [](Builder& builder) {
          const ValueId u = weights(builder, "u");
          ValueId h = input(builder, "h", {1, kSide});
          for (int i = 0; i < 5; ++i) h = tanh_of(builder, product(builder, h, u));
          builder.output(h, "y");
        },
        host_nodes);
  };
  EXPECT_EQ(steps_with({1, 3, 5, 7}), spans(3) + kAround);
  // Of the products, too. The others are a chain of four.
  EXPECT_EQ(steps_with({2}), spans(2) + kAround);
  EXPECT_EQ(steps_with({4}), spans(2) + kAround);
}

TEST(RecurrentBoundTest, AChainEndsWhereAStepDoesNotNeedTheOneBefore) {
  const auto broken_at = [](int fresh) {
    return [fresh, step = 0](Builder& b, ValueId y) mutable {
      return ++step == fresh ? input(b, "fresh", {1, kSide}) : tanh_of(b, y);
    };
  };
  EXPECT_EQ(bound_of_steps(7, 1, broken_at(2)), spans(3) + kAround);  // steps 3 to 7
  EXPECT_EQ(bound_of_steps(7, 1, broken_at(4)), spans(2) + kAround);  // steps 1 to 4
  EXPECT_EQ(bound_of_steps(7, 1, broken_at(6)), spans(3) + kAround);  // steps 1 to 6
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
  EXPECT_EQ(both, spans(3) + kAround);
}

/// h(t + 1) of h(t), u and v.
using Step = std::function<ValueId(Builder&, ValueId, ValueId, ValueId)>;

Cycle bound_of_two(const Step& step) {
  return bound_of([&](Builder& builder) {
    const ValueId u = weights(builder, "u");
    const ValueId v = weights(builder, "v");
    ValueId h = input(builder, "h", {1, kSide});
    for (int i = 0; i < 5; ++i) h = step(builder, h, u, v);
    builder.output(h, "y");
  });
}

// One tile may lie in the array when a step begins, whichever gate it is of:
// (3 * (2 * 1600 - 64) - 64) / 8 cycles.
TEST(RecurrentBoundTest, GatesOfAStepAreOneChain) {
  const Step gated = [](Builder& b, ValueId h, ValueId u, ValueId v) {
    const ValueId gate = b.add(Op::kSigmoid, {product(b, h, v)});
    return b.add(Op::kMul, {gate, tanh_of(b, product(b, h, u))});
  };
  EXPECT_EQ(bound_of_two(gated), (3 * (2 * 1600 - 64) - 64) / 8 + kAround);
}

// The second product needs the result of the first.
TEST(RecurrentBoundTest, ChainsOfDifferentOperandsAddUp) {
  const Step reset = [](Builder& b, ValueId h, ValueId u, ValueId v) {
    const ValueId gate = b.add(Op::kSigmoid, {product(b, h, v)});
    return tanh_of(b, product(b, b.add(Op::kMul, {gate, h}), u));
  };
  EXPECT_EQ(bound_of_two(reset), 2 * spans(3) + kAround);
}

// No step needs the products with v, so that a tile of v may serve all steps.
TEST(RecurrentBoundTest, WeightsBesideAChainEnterOnce) {
  const Step beside = [](Builder& b, ValueId h, ValueId u, ValueId v) {
    b.output(product(b, h, v), "v" + std::to_string(h));
    return tanh_of(b, product(b, h, u));
  };
  EXPECT_EQ(bound_of_two(beside), spans(3) + 200 + 14);
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

// x of 4 x 40 times itself: 160 / 8 = 20 cycles to enter, and 16 * 5 / 8 = 10 of sums.
TEST(RecurrentBoundTest, BothOperandsMayBeTheSame) {
  const Cycle square = bound_of([](Builder& builder) {
    const ValueId x = input(builder, "x", {4, kSide});
    builder.output(product(builder, x, builder.add(Op::kTranspose, {x})), "y");
  });
  EXPECT_EQ(square, 20 + 14);
}

// --- Runs ----------------------------------------------------------------------------------------

TEST(RecurrentBoundTest, NoRunOfARecurrenceTakesFewerCycles) {
  constexpr std::uint64_t kSeed = 20261125;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  int by_array = 0;
  for (int i = 0; i < 40; ++i) {
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
