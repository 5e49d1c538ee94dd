// Functions of one element: each value must be the ONNX function of its input, rounded as promised.
#include <algorithm>
#include <limits>

#include "compiler/graph/operator_table.h"
#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

struct UnaryCase {
  Op op;
  Attributes attributes;
  /// The function from its definition in the ONNX specification, in extended precision.
  std::function<long double(long double)> function;
  double low = -10;
  double high = 10;
};

// The nearest integer; of two, the even one.
long double nearest(long double x) {
  const long double low = std::floor(x);
  const bool low_is_even = std::fmod(low, 2.0L) == 0;
  if (x - low == 0.5L) return low_is_even ? low : low + 1;
  return x - low < 0.5L ? low : low + 1;
}

const std::vector<UnaryCase>& cases() {
  static const std::vector<UnaryCase> kCases = {
      {Op::kRelu, {}, [](long double x) { return x > 0 ? x : 0; }},
      {Op::kLeakyRelu, {}, [](long double x) { return x < 0 ? 0.01F * x : x; }},
      {Op::kLeakyRelu, {{"alpha", 0.25F}}, [](long double x) { return x < 0 ? x / 4 : x; }},
      {Op::kElu, {}, [](long double x) { return x < 0 ? std::exp(x) - 1 : x; }},
      {Op::kElu,
       {{"alpha", 2.0F}},
       [](long double x) { return x < 0 ? 2 * (std::exp(x) - 1) : x; }},
      {Op::kSelu,
       {},
       [](long double x) {
         const long double alpha = 1.67326319217681884765625L;
         const long double gamma = 1.05070102214813232421875L;
         return gamma * (x > 0 ? x : alpha * (std::exp(x) - 1));
       }},
      {Op::kSelu,
       {{"alpha", 2.0F}, {"gamma", 3.0F}},
       [](long double x) { return 3 * (x > 0 ? x : 2 * (std::exp(x) - 1)); }},
      {Op::kSigmoid, {}, [](long double x) { return 1 / (1 + std::exp(-x)); }},
      {Op::kHardSigmoid,
       {},
       [](long double x) { return std::fmin(1.0L, std::fmax(0.0L, 0.2F * x + 0.5L)); }},
      {Op::kHardSigmoid,
       {{"alpha", 0.5F}, {"beta", 0.25F}},
       [](long double x) { return std::fmin(1.0L, std::fmax(0.0L, x / 2 + 0.25L)); }},
      {Op::kHardSwish,
       {},
       [](long double x) { return x * std::fmin(1.0L, std::fmax(0.0L, x / 6 + 0.5L)); }},
      {Op::kTanh, {}, [](long double x) { return std::tanh(x); }},
      {Op::kErf, {}, [](long double x) { return std::erf(x); }},
      {Op::kSoftplus, {}, [](long double x) { return std::log1p(std::exp(x)); }},
      {Op::kSqrt, {}, [](long double x) { return std::sqrt(x); }, 0, 100},
      {Op::kExp, {}, [](long double x) { return std::exp(x); }},
      {Op::kLog, {}, [](long double x) { return std::log(x); }, 0.01, 100},
      {Op::kNeg, {}, [](long double x) { return -x; }},
      {Op::kAbs, {}, [](long double x) { return std::fabs(x); }},
      {Op::kReciprocal, {}, [](long double x) { return 1 / x; }, 0.1, 10},
      {Op::kSin, {}, [](long double x) { return std::sin(x); }},
      {Op::kCos, {}, [](long double x) { return std::cos(x); }},
      {Op::kRound, {}, nearest},
      {Op::kFloor, {}, [](long double x) { return std::floor(x); }},
      {Op::kCeil, {}, [](long double x) { return -std::floor(-x); }},
      {Op::kSign, {}, [](long double x) { return x > 0   ? 1.0L
                                                 : x < 0 ? -1.0L
                                                         : 0.0L; }},
  };
  return kCases;
}

// Significand bits of T.
template <class T>
int digits() {
  return std::is_same_v<T, Half> ? 11 : std::is_same_v<T, float> ? 24 : 53;
}

// Bound for a few operations in T, each off by half a unit of the result or of `scale`, if larger.
// The factor also covers rounded binary64 functions in float64.
template <class T>
double bound(double expected, double scale) {
  return std::ldexp(std::fmax(std::fabs(expected), scale), 2 - digits<T>()) +
         std::ldexp(1.0, -24 - (std::is_same_v<T, Half> ? 0 : 100));
}

// Magnitude of the terms of operators that are sums of products; 0 for the others.
double term_scale(Op op) {
  return op == Op::kHardSigmoid || op == Op::kHardSwish ? 10.0 : 0.0;
}

template <class T>
void expect_close(const UnaryCase& test, Random& random) {
  const Tensor x = to_tensor(graph::data_type_of<T>(), random.reals({300}, test.low, test.high));
  const Tensor y = call(test.op, {&x}, x.value_type(), test.attributes);
  for (std::size_t i = 0; i < 300; ++i) {
    const double in = to_double(x.data<T>()[i]);
    const auto expected = static_cast<double>(test.function(static_cast<long double>(in)));
    ASSERT_NEAR(to_double(y.data<T>()[i]), expected, bound<T>(expected, term_scale(test.op)))
        << to_string(test.op) << " of " << in;
  }
}

TEST(UnaryTest, EveryFunctionHasADefinitionHere) {
  for (const Op op : graph::operators_with(graph::Trait::kFunction)) {
    const bool found = std::ranges::find(cases(), op, &UnaryCase::op) != cases().end();
    EXPECT_TRUE(found || op == Op::kClip) << to_string(op);
  }
}

TEST(UnaryTest, EveryFunctionIsItsDefinitionInEveryFloatType) {
  Random random(1);
  for (const UnaryCase& test : cases()) {
    expect_close<Half>(test, random);
    expect_close<float>(test, random);
    expect_close<double>(test, random);
  }
}

// binary64 evaluation leaves 29 spare bits: the result is the nearest, except for near-ties.
TEST(UnaryTest, TranscendentalFunctionsOfFloat32AreRoundedToNearest) {
  Random random(2);
  for (const Op op :
       {Op::kExp, Op::kLog, Op::kTanh, Op::kErf, Op::kSigmoid, Op::kSoftplus, Op::kSin, Op::kCos}) {
    const UnaryCase* test = nullptr;
    for (const UnaryCase& each : cases()) {
      if (each.op == op) test = &each;
    }
    const Tensor x = to_tensor(DataType::kFloat32, random.reals({500}, test->low, test->high));
    const Tensor y = call(op, {&x}, x.value_type());
    for (std::size_t i = 0; i < 500; ++i) {
      const long double expected = test->function(static_cast<long double>(x.data<float>()[i]));
      ASSERT_EQ(y.data<float>()[i], static_cast<float>(expected)) << to_string(op);
    }
  }
}

TEST(UnaryTest, SquareRootsAndReciprocalsAreRoundedToNearest) {
  Random random(3);
  const Tensor x = to_tensor(DataType::kFloat32, random.reals({500}, 0.01, 100));
  const Tensor root = call(Op::kSqrt, {&x}, x.value_type());
  const Tensor inverse = call(Op::kReciprocal, {&x}, x.value_type());
  for (std::size_t i = 0; i < 500; ++i) {
    const auto wide = static_cast<double>(x.data<float>()[i]);
    ASSERT_EQ(root.data<float>()[i], static_cast<float>(std::sqrt(wide)));
    ASSERT_EQ(inverse.data<float>()[i], static_cast<float>(1.0 / wide));
  }
}

float of(Op op, float x) {
  const Tensor tensor = Tensor::scalar(x);
  return call(op, {&tensor}, tensor.value_type()).data<float>()[0];
}

TEST(UnaryTest, LargeArgumentsDoNotOverflowWhereTheFunctionDoesNot) {
  EXPECT_EQ(of(Op::kSoftplus, 1000), 1000);
  EXPECT_EQ(of(Op::kSoftplus, -1000), 0);
  EXPECT_EQ(of(Op::kSigmoid, -1000), 0);
  EXPECT_EQ(of(Op::kSigmoid, 1000), 1);
  EXPECT_EQ(of(Op::kTanh, kFloatInfinity), 1);
  EXPECT_EQ(of(Op::kElu, -kFloatInfinity), -1);
  EXPECT_EQ(of(Op::kExp, 1000), kFloatInfinity);
  EXPECT_EQ(of(Op::kLog, 0), -kFloatInfinity);
}

TEST(UnaryTest, HalvesGoToTheEvenIntegerInEveryFloatType) {
  const std::vector<double> halves = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4};
  for (const DataType type : kFloatTypes) {
    const Tensor x = to_tensor(type, Naive({8}, halves));
    expect_equal(call(Op::kRound, {&x}, x.value_type()), type,
                 Naive({8}, std::vector<double>{-2, -2, 0, 0, 2, 2, 4, 4}));
  }
  EXPECT_TRUE(std::signbit(of(Op::kRound, -0.25F)));
  EXPECT_EQ(of(Op::kFloor, -kFloatInfinity), -kFloatInfinity);
  EXPECT_EQ(of(Op::kCeil, 16777217.0F), 16777217.0F);
}

TEST(UnaryTest, SignsOfZerosInfinitiesAndIntegers) {
  EXPECT_EQ(of(Op::kSign, -kFloatInfinity), -1);
  EXPECT_FALSE(std::signbit(of(Op::kSign, -0.0F)));
  for (const DataType type : {DataType::kInt8, DataType::kInt32, DataType::kInt64}) {
    const Tensor x = to_tensor(type, Naive({3}, std::vector<double>{-5, 0, 7}));
    expect_equal(call(Op::kSign, {&x}, x.value_type()), type,
                 Naive({3}, std::vector<double>{-1, 0, 1}));
  }
  const Tensor bytes = to_tensor(DataType::kUint8, Naive({2}, std::vector<double>{0, 200}));
  expect_equal(call(Op::kSign, {&bytes}, bytes.value_type()), DataType::kUint8,
               Naive({2}, std::vector<double>{0, 1}));
}

TEST(UnaryTest, TrigonometryOfInfinitiesIsNaN) {
  EXPECT_TRUE(std::isnan(of(Op::kSin, kFloatInfinity)));
  EXPECT_TRUE(std::isnan(of(Op::kCos, -kFloatInfinity)));
}

TEST(UnaryTest, NaNsAndInfinitiesAreFoundInEveryFloatType) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0, std::nan(""), infinity, -infinity, 65504};
  const auto found = [&](Op op, const Tensor& x, const Attributes& attributes = {}) {
    return call(op, {&x}, ValueType{DataType::kBool, x.shape()}, attributes);
  };
  const auto expected = [](const std::vector<double>& truths) {
    return to_tensor(DataType::kBool, Naive({5}, truths));
  };
  for (const DataType type : kFloatTypes) {
    const Tensor x = to_tensor(type, Naive({5}, values));
    EXPECT_EQ(found(Op::kIsNan, x), expected({0, 1, 0, 0, 0}));
    EXPECT_EQ(found(Op::kIsInf, x), expected({0, 0, 1, 1, 0}));
    EXPECT_EQ(found(Op::kIsInf, x, {{"detect_negative", std::int64_t{0}}}),
              expected({0, 0, 1, 0, 0}));
    EXPECT_EQ(found(Op::kIsInf, x, {{"detect_positive", std::int64_t{0}}}),
              expected({0, 0, 0, 1, 0}));
  }
}

TEST(UnaryTest, NaNsStayNaNs) {
  for (const UnaryCase& test : cases()) {
    EXPECT_TRUE(std::isnan(of(test.op, kNaN))) << to_string(test.op);
  }
  EXPECT_TRUE(std::isnan(of(Op::kSqrt, -1)));
  EXPECT_TRUE(std::isnan(of(Op::kLog, -1)));
}

TEST(UnaryTest, IntegersHaveReluNegAndAbs) {
  for (const DataType type : {DataType::kInt8, DataType::kInt32, DataType::kInt64}) {
    const Tensor x = to_tensor(type, Naive({3}, std::vector<double>{-5, 0, 7}));
    expect_equal(call(Op::kRelu, {&x}, x.value_type()), type, {{3}, std::vector<double>{0, 0, 7}});
    expect_equal(call(Op::kNeg, {&x}, x.value_type()), type, {{3}, std::vector<double>{5, 0, -7}});
    expect_equal(call(Op::kAbs, {&x}, x.value_type()), type, {{3}, std::vector<double>{5, 0, 7}});
    expect_equal(call(Op::kErf, {&x}, x.value_type()), type, {{3}, std::vector<double>{0, 0, 1}});
  }
  const Tensor lowest = Tensor::scalar<std::int8_t>(-128);
  EXPECT_EQ(call(Op::kAbs, {&lowest}, lowest.value_type()), lowest);
  EXPECT_EQ(call(Op::kNeg, {&lowest}, lowest.value_type()), lowest);
}

Tensor clip(const Tensor& x, const Tensor* low, const Tensor* high) {
  return call(Op::kClip, {&x, low, high}, x.value_type());
}

TEST(UnaryTest, ClipBoundsEitherSideInEveryType) {
  for (const DataType type : kNumberTypes) {
    const Tensor x = to_tensor(type, Naive({4}, std::vector<double>{0, 3, 5, 9}));
    const Tensor low = to_tensor(type, Naive({}, std::vector<double>{3}));
    const Tensor high = to_tensor(type, Naive({1}, std::vector<double>{5}));
    expect_equal(clip(x, &low, &high), type, Naive({4}, std::vector<double>{3, 3, 5, 5}));
    expect_equal(clip(x, nullptr, &high), type, Naive({4}, std::vector<double>{0, 3, 5, 5}));
    expect_equal(clip(x, &low, nullptr), type, Naive({4}, std::vector<double>{3, 3, 5, 9}));
    expect_equal(clip(x, nullptr, nullptr), type, to_naive(x));
    // If the bounds cross, the upper one wins.
    expect_equal(clip(x, &high, &low), type, Naive({4}, std::vector<double>{3, 3, 3, 3}));
  }
}

TEST(UnaryTest, ClipGivesTheLowerBoundsZeroForEitherZero) {
  const Tensor zeros = Tensor::vector<float>({-0.0F, 0.0F});
  for (const float zero : {-0.0F, 0.0F}) {
    const Tensor bound = Tensor::scalar(zero);
    EXPECT_EQ(clip(zeros, &bound, nullptr), Tensor::vector<float>({zero, zero}));
  }
}

TEST(UnaryTest, ClipKeepsNaNsAndUnboundedInfinities) {
  const Tensor x = Tensor::vector<float>({kNaN, kFloatInfinity, -kFloatInfinity});
  const Tensor six = Tensor::scalar(6.0F);
  expect_equal(clip(x, nullptr, &six), DataType::kFloat32,
               Naive({3}, std::vector<double>{static_cast<double>(kNaN), 6,
                                              -static_cast<double>(kFloatInfinity)}));
  const Tensor two(DataType::kFloat32, {2});
  EXPECT_THROW(clip(x, &two, nullptr), InputError);
  const Tensor other_type = Tensor::scalar<std::int32_t>(1);
  EXPECT_THROW(clip(x, &other_type, nullptr), InputError);
}

TEST(UnaryTest, TypesThatAnOperatorDoesNotTakeAreRefused) {
  const Tensor integers(DataType::kInt32, {2});
  const Tensor bools(DataType::kBool, {2});
  EXPECT_THROW(call(Op::kExp, {&integers}, integers.value_type()), InputError);
  EXPECT_THROW(call(Op::kAbs, {&bools}, bools.value_type()), InputError);
  EXPECT_THROW(call(Op::kConv, {&integers}, integers.value_type()), InputError);
}

}  // namespace
}  // namespace weft::reference
