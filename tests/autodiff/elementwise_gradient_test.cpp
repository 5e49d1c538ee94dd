// Gradients of unary operators and of operators that broadcast.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "compiler/graph/operator_table.h"
#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

constexpr std::uint64_t kElementwiseCases = 20;

struct Unary {
  Op op;
  std::vector<double> kinks = {};
  Attributes attributes = {};
  double low = -2;
  double high = 2;
};

class UnaryGradientTest : public ::testing::TestWithParam<Unary> {};

TEST_P(UnaryGradientTest, AgreesWithDifferencesBesideItsKinks) {
  const Unary& unary = GetParam();
  for (std::uint64_t seed = 1; seed <= kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape shape = random_shape(random, static_cast<std::size_t>(between(random, 0, 3)));
    Case test;
    const ValueId x =
        test.variable(reals_beside(random, shape, unary.kinks, unary.low, unary.high));
    check_gradients(test, {test.builder.add(unary.op, {x}, unary.attributes)}, random);
    if (HasFatalFailure()) return;
  }
}

/// Cases with kinks, parameters or a domain, and one for each function without these.
std::vector<Unary> unary_cases() {
  std::vector<Unary> cases = {
      {Op::kRelu, {0}},
      {Op::kLeakyRelu, {0}, {{"alpha", 0.25F}}},
      {Op::kLeakyRelu, {0}, {{"alpha", -0.5F}}},
      {Op::kElu, {0}},
      {Op::kElu, {0}, {{"alpha", 0.75F}}},
      {Op::kSelu, {0}},
      {Op::kHardSigmoid, {-2.5, 2.5}, {}, -4, 4},
      {Op::kHardSigmoid, {-1, 1}, {{"alpha", 0.5F}}},
      {Op::kHardSwish, {-3, 3}, {}, -5, 5},
      {Op::kSqrt, {}, {}, 0.5, 4},
      {Op::kLog, {}, {}, 0.5, 4},
      {Op::kAbs, {0}},
      {Op::kReciprocal, {}, {}, 0.5, 2},
      {Op::kReciprocal, {}, {}, -2, -0.5},
      {Op::kSin, {}, {}, -6, 6},
      {Op::kCos, {}, {}, -6, 6},
      {Op::kRound, {-1.5, -0.5, 0.5, 1.5}},
      {Op::kFloor, {-2, -1, 0, 1, 2}},
      {Op::kCeil, {-2, -1, 0, 1, 2}},
      {Op::kSign, {0}},
      {Op::kIdentity},
      {Op::kDropout},
      {Op::kCast, {}, {{"to", std::int64_t{11}}}},
  };
  for (const Op op : graph::operators_with(graph::Trait::kFunction)) {
    if (op != Op::kClip && std::ranges::find(cases, op, &Unary::op) == cases.end()) {
      cases.push_back({op});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryGradientTest, ::testing::ValuesIn(unary_cases()),
                         [](const auto& each) {
                           return std::string(to_string(each.param.op)) +
                                  std::to_string(each.index);
                         });

TEST(ElementwiseGradientTest, ClipWithEitherBoundOrBoth) {
  std::array<int, 4> seen = {};
  for (std::uint64_t seed = 1; seed <= kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const bool low = chance(random), high = chance(random);
    Case test;
    const ValueId x = test.variable(reals_beside(random, {3, 4}, {-0.5, 0.75}));
    const ValueId y = test.builder.add(Op::kClip, {x, low ? test.number(-0.5F) : graph::kNoValue,
                                                   high ? test.number(0.75F) : graph::kNoValue});
    check_gradients(test, {y}, random);
    ++seen[(low ? 2U : 0U) + (high ? 1U : 0U)];
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(ElementwiseGradientTest, PReluWithSlopesThatBroadcast) {
  for (std::uint64_t seed = 1; seed <= kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape shape = random_shape(random, 3);
    const std::array<Shape, 4> slopes = {Shape{}, shape, Shape{shape[1], 1}, Shape{1, 1, shape[2]}};
    Case test;
    const ValueId x = test.variable(reals_beside(random, shape, {0}));
    const ValueId slope = test.variable(reals(random, slopes[seed % slopes.size()]));
    check_gradients(test, {test.builder.add(Op::kPRelu, {x, slope})}, random);
    if (HasFatalFailure()) return;
  }
}

/// Returns a shape that broadcasts with the other shapes drawn from the same `full`.
Shape part_of(Random& random, const Shape& full) {
  const auto skip = between(random, 0, static_cast<std::int64_t>(full.size()));
  Shape part(full.begin() + skip, full.end());
  for (std::int64_t& extent : part) extent = between(random, 0, 2) == 0 ? 1 : extent;
  return part;
}

struct Binary {
  Op op;
  double low = -2;
  double high = 2;
  std::size_t operands = 2;
};

class BroadcastGradientTest : public ::testing::TestWithParam<Binary> {};

TEST_P(BroadcastGradientTest, IsSummedOverTheAxesThatWereRepeated) {
  const Binary& binary = GetParam();
  int repeated = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape full = random_shape(random, static_cast<std::size_t>(between(random, 0, 4)), 3);
    Case test;
    std::vector<ValueId> operands;
    for (std::size_t i = 0; i < binary.operands; ++i) {
      const Shape shape = part_of(random, full);
      repeated += shape != full;
      operands.push_back(test.variable(reals(random, shape, binary.low, binary.high)));
    }
    check_gradients(test, {test.builder.add(binary.op, operands)}, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(repeated, 0);
}

INSTANTIATE_TEST_SUITE_P(Operators, BroadcastGradientTest,
                         ::testing::Values(Binary{Op::kAdd}, Binary{Op::kSub}, Binary{Op::kMul},
                                           Binary{Op::kDiv, 0.5, 2}, Binary{Op::kDiv, -2, -0.5},
                                           Binary{Op::kPow, 0.5, 2}, Binary{Op::kSum, -2, 2, 3},
                                           Binary{Op::kMean, -2, 2, 3},
                                           Binary{Op::kMean, -2, 2, 1}),
                         [](const auto& each) {
                           return std::string(to_string(each.param.op)) +
                                  std::to_string(each.index);
                         });

// Operand i holds distinct multiples of 1/64 plus i/256, so that Min and Max have no ties.
class ExtremeGradientTest : public ::testing::TestWithParam<Op> {};

TEST_P(ExtremeGradientTest, GoesToTheOperandThatWasTaken) {
  for (std::uint64_t seed = 1; seed <= 2 * kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape full = random_shape(random, static_cast<std::size_t>(between(random, 1, 3)), 3);
    Case test;
    std::vector<ValueId> operands;
    const auto count = static_cast<std::size_t>(between(random, 1, 4));
    for (std::size_t i = 0; i < count; ++i) {
      Tensor values = distinct(random, part_of(random, full));
      for (double& value : values.mutable_data<double>()) value += static_cast<double>(i) / 256;
      operands.push_back(test.variable(std::move(values)));
    }
    check_gradients(test, {test.builder.add(GetParam(), operands)}, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ExtremeGradientTest, ::testing::Values(Op::kMin, Op::kMax),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(ElementwiseGradientTest, PowWithConstantExponents) {
  for (const float exponent : {1.0F, 2.0F, 3.0F, 0.5F, -1.5F}) {
    Random random(7);
    Case test;
    const ValueId x = test.variable(reals(random, {2, 3}, 0.5, 2));
    check_gradients(test, {test.builder.add(Op::kPow, {x, test.number(exponent)})}, random);
    Case whole;
    const ValueId z = whole.variable(reals_beside(random, {2, 3}, {0}));
    const ValueId two = whole.builder.constant(Tensor::scalar(std::int64_t{3}));
    check_gradients(whole, {whole.builder.add(Op::kPow, {z, two})}, random);
  }
}

// x = (k + f) z with a whole k: far enough from the steps of the remainder, where f is 0 or 1.
TEST(ElementwiseGradientTest, ModBetweenItsSteps) {
  for (std::uint64_t seed = 1; seed <= kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape shape = random_shape(random, 2);
    Tensor x = reals(random, shape, 0.25, 0.75);
    const bool shared = chance(random);
    const double low = chance(random) ? 1 : -2;
    const Tensor z = reals(random, shared ? Shape{} : shape, low, low + 1);
    const auto divisors = z.data<double>();
    std::size_t i = 0;
    for (double& value : x.mutable_data<double>()) {
      value = (value + static_cast<double>(between(random, 0, 3))) * divisors[shared ? 0 : i++];
      if (chance(random)) value = -value;
    }
    Case test;
    const ValueId dividend = test.variable(x);
    const ValueId divisor = test.variable(z);
    check_gradients(test,
                    {test.builder.add(Op::kMod, {dividend, divisor}, {{"fmod", std::int64_t{1}}})},
                    random);
    if (HasFatalFailure()) return;
  }
}

TEST(ElementwiseGradientTest, WhereWithAConditionThatBroadcasts) {
  for (std::uint64_t seed = 1; seed <= kElementwiseCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape full = random_shape(random, 3, 3);
    Case test;
    const ValueId chosen = test.fixed(reals(random, part_of(random, full)));
    const ValueId condition = test.builder.add(Op::kGreater, {chosen, test.number(0)});
    const ValueId yes = test.variable(reals(random, part_of(random, full)));
    const ValueId no = test.variable(reals(random, part_of(random, full)));
    check_gradients(test, {test.builder.add(Op::kWhere, {condition, yes, no})}, random);
    if (HasFatalFailure()) return;
  }
}

TEST(ElementwiseGradientTest, AValueUsedSeveralTimesGetsTheSum) {
  Random random(3);
  Case test;
  const ValueId x = test.variable(reals(random, {2, 3}));
  const ValueId y = test.builder.add(Op::kMul, {x, test.builder.add(Op::kTanh, {x})});
  check_gradients(test, {test.builder.add(Op::kAdd, {y, x}), y}, random);
}

}  // namespace
}  // namespace weft::autodiff::testing
