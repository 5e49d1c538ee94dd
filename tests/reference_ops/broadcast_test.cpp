// Element-wise operators of several operands: every element must meet the right ones, in every type
// and for every form of broadcasting.
#include <algorithm>
#include <limits>
#include <map>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

using Function = double (*)(double, double);

struct BinaryCase {
  Op op;
  Function function;
};

// On small integers, where every type gives the result of doubles.
const BinaryCase kArithmetic[] = {
    {Op::kAdd, [](double x, double y) { return x + y; }},
    {Op::kSub, [](double x, double y) { return x - y; }},
    {Op::kMul, [](double x, double y) { return x * y; }},
    {Op::kMin, [](double x, double y) { return std::min(x, y); }},
    {Op::kMax, [](double x, double y) { return std::max(x, y); }},
    {Op::kPow, [](double x, double y) { return std::pow(x, y); }},
    {Op::kPRelu, [](double x, double y) { return x < 0 ? x * y : x; }},
};

const BinaryCase kRelations[] = {
    {Op::kEqual, [](double x, double y) { return x == y ? 1.0 : 0.0; }},
    {Op::kLess, [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {Op::kGreater, [](double x, double y) { return x > y ? 1.0 : 0.0; }},
};

// NumPy's rule, written from its definition.
Shape broadcast_shape(const Shape& x, const Shape& y) {
  const std::size_t rank = std::max(x.size(), y.size());
  Shape result(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t a = d < rank - x.size() ? 1 : x[d - (rank - x.size())];
    const std::int64_t b = d < rank - y.size() ? 1 : y[d - (rank - y.size())];
    result[d] = a == 1 ? b : a;
  }
  return result;
}

Naive broadcast_oracle(const Naive& x, const Naive& y, Function function) {
  return {broadcast_shape(x.shape, y.shape),
          [&](const Index& at) { return function(x.broadcast(at), y.broadcast(at)); }};
}

std::string label(Op op, DataType type, const Naive& x, const Naive& y) {
  return std::string(to_string(op)) + " " + std::string(graph::to_string(type)) + " " +
         graph::to_string(x.shape) + " with " + graph::to_string(y.shape);
}

void expect_broadcast(const BinaryCase& test, DataType type, DataType result, const Naive& x,
                      const Naive& y) {
  const Naive expected = broadcast_oracle(x, y, test.function);
  const Tensor a = to_tensor(type, x);
  const Tensor b = to_tensor(type, y);
  expect_equal(call(test.op, {&a, &b}, ValueType{result, expected.shape}), result, expected,
               label(test.op, type, x, y));
}

TEST(BroadcastTest, ArithmeticOfRandomShapesAgreesWithNumPysRuleInEveryType) {
  Random random(1);
  std::map<std::string, int> hits;
  for (int round = 0; round < 60; ++round) {
    const Shape whole = random.shape(4);
    const Shape x_shape = random.broadcastable(whole);
    const Shape y_shape = random.coin() ? whole : random.broadcastable(whole);
    hits["same"] += x_shape == y_shape;
    hits["scalar"] += x_shape.empty() != y_shape.empty();
    hits["both repeat"] += broadcast_shape(x_shape, y_shape) != x_shape &&
                           broadcast_shape(x_shape, y_shape) != y_shape;
    for (const DataType type : kNumberTypes) {
      // Differences fit uint8, and exponents start at 0.
      const Naive x = random.integers(x_shape, type == DataType::kUint8 ? 3 : -3, 5);
      const Naive y = random.integers(y_shape, 0, 3);
      for (const BinaryCase& test : kArithmetic) {
        if (test.op == Op::kPRelu && broadcast_shape(x_shape, y_shape) != x_shape) continue;
        hits[std::string(to_string(test.op))]++;
        expect_broadcast(test, type, type, x, y);
      }
      for (const BinaryCase& test : kRelations) expect_broadcast(test, type, DataType::kBool, x, y);
    }
  }
  for (const char* name : {"same", "scalar", "both repeat", "PRelu", "Add"}) {
    EXPECT_GT(hits[name], 0) << name;
  }
}

TEST(BroadcastTest, EmptyOperandsGiveEmptyResults) {
  for (const BinaryCase& test : kArithmetic) {
    expect_broadcast(test, DataType::kFloat32, DataType::kFloat32, Naive({2, 0, 3}), Naive({3}));
  }
}

// By the definitions: a - b * floor(a / b), and with fmod a - b * trunc(a / b). Small integers have
// exact quotients or ones far from the next integer.
TEST(BroadcastTest, RemaindersHaveTheSignOfTheDivisorOrWithFmodOfTheDividend) {
  Random random(3);
  int mixed = 0;
  for (int round = 0; round < 60; ++round) {
    const Shape whole = random.shape(4);
    for (const DataType type : kNumberTypes) {
      const std::int64_t low = type == DataType::kUint8 ? 0 : -9;
      const Naive x = random.integers(random.broadcastable(whole), low, 9);
      Naive y = random.integers(whole, low, 5);
      for (double& divisor : y.values) divisor = divisor == 0 ? 3 : divisor;
      for (const bool truncates : {false, true}) {
        if (!truncates && graph::is_float(type)) continue;
        const Naive expected(whole, [&](const Index& at) {
          const double a = x.broadcast(at);
          const double b = y(at);
          mixed += a * b < 0;
          return a - b * (truncates ? std::trunc(a / b) : std::floor(a / b));
        });
        const Tensor a = to_tensor(type, x);
        const Tensor b = to_tensor(type, y);
        expect_equal(
            call(Op::kMod, {&a, &b}, ValueType{type, whole}, {{"fmod", std::int64_t{truncates}}}),
            type, expected);
      }
    }
  }
  EXPECT_GT(mixed, 100);
}

TEST(BroadcastTest, RemaindersAtTheEndsOfTheTypes) {
  const auto rest = [](const Tensor& a, const Tensor& b, std::int64_t fmod) {
    return call(Op::kMod, {&a, &b}, a.value_type(), {{"fmod", fmod}});
  };
  const Tensor lowest = Tensor::scalar(std::numeric_limits<std::int64_t>::min());
  const Tensor minus_one = Tensor::scalar<std::int64_t>(-1);
  EXPECT_EQ(rest(lowest, minus_one, 0), Tensor::scalar<std::int64_t>(0));
  EXPECT_EQ(rest(lowest, minus_one, 1), Tensor::scalar<std::int64_t>(0));
  const Tensor zero = Tensor::scalar<std::int64_t>(0);
  EXPECT_THROW(rest(lowest, zero, 0), InputError);
  EXPECT_TRUE(std::isnan(rest(Tensor::scalar(1.0F), Tensor::scalar(0.0F), 1).data<float>()[0]));
  EXPECT_EQ(rest(Tensor::scalar(-7.5F), Tensor::scalar(2.0F), 1), Tensor::scalar(-1.5F));
}

TEST(BroadcastTest, LogicAgreesWithItsTruthTables) {
  const Naive x({2, 2}, std::vector<double>{0, 0, 1, 1});
  const Naive y({2}, std::vector<double>{0, 1});
  expect_broadcast({Op::kAnd, [](double a, double b) { return a * b; }}, DataType::kBool,
                   DataType::kBool, x, y);
  expect_broadcast({Op::kOr, [](double a, double b) { return std::max(a, b); }}, DataType::kBool,
                   DataType::kBool, x, y);
  expect_broadcast({Op::kXor, [](double a, double b) { return a + b == 1 ? 1.0 : 0.0; }},
                   DataType::kBool, DataType::kBool, x, y);
  expect_broadcast(kRelations[0], DataType::kBool, DataType::kBool, x, y);
  const Tensor bools = to_tensor(DataType::kBool, x);
  expect_equal(call(Op::kNot, {&bools}, bools.value_type()), DataType::kBool,
               Naive({2, 2}, std::vector<double>{1, 1, 0, 0}));
}

TEST(BroadcastTest, WhereTakesFromEitherSideInEveryType) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const Shape shape = random.shape(4);
    const Naive condition = random.integers(random.broadcastable(shape), 0, 1);
    const Tensor bools = to_tensor(DataType::kBool, condition);
    for (const DataType type : kAllTypes) {
      const Naive x = random.integers(random.broadcastable(shape), 0, 1);
      const Naive y = random.integers(shape, 0, 1);
      const Tensor a = to_tensor(type, x);
      const Tensor b = to_tensor(type, y);
      const Naive expected(shape, [&](const Index& at) {
        return condition.broadcast(at) != 0 ? x.broadcast(at) : y(at);
      });
      expect_equal(call(Op::kWhere, {&bools, &a, &b}, ValueType{type, shape}), type, expected);
    }
  }
}

TEST(BroadcastTest, VariadicOperatorsTakeAnyNumberOfOperands) {
  Random random(3);
  for (const std::size_t count : {1U, 2U, 3U, 5U}) {
    std::vector<Naive> operands;
    std::vector<Tensor> tensors;
    std::vector<const Tensor*> inputs;
    for (std::size_t i = 0; i < count; ++i) {
      operands.push_back(
          random.integers(i == 0 ? Shape{2, 3} : random.broadcastable({2, 3}), -9, 9));
      tensors.push_back(to_tensor(DataType::kFloat32, operands.back()));
    }
    for (const Tensor& tensor : tensors) inputs.push_back(&tensor);
    const auto fold = [&](Function function) {
      return Naive({2, 3}, [&](const Index& at) {
        double result = operands[0].broadcast(at);
        for (std::size_t i = 1; i < count; ++i)
          result = function(result, operands[i].broadcast(at));
        return result;
      });
    };
    const ValueType type{DataType::kFloat32, {2, 3}};
    const Naive sum = fold(kArithmetic[0].function);
    expect_equal(call(Op::kSum, inputs, type), type.type, sum);
    expect_equal(call(Op::kMin, inputs, type), type.type, fold(kArithmetic[3].function));
    expect_equal(call(Op::kMax, inputs, type), type.type, fold(kArithmetic[4].function));
    const Naive mean(sum.shape, [&](const Index& at) {
      return static_cast<double>(static_cast<float>(sum(at)) / static_cast<float>(count));
    });
    expect_equal(call(Op::kMean, inputs, type), type.type, mean);
  }
}

TEST(BroadcastTest, FloatsDivideToNearestInTheirOwnType) {
  Random random(4);
  const Naive x = random.reals({200}, -5, 5);
  const Naive y = random.reals({200}, 0.5, 5);
  const auto quotient = [&]<class T>(T) {
    const Tensor a = to_tensor(graph::data_type_of<T>(), x);
    const Tensor b = to_tensor(graph::data_type_of<T>(), y);
    const Tensor result = call(Op::kDiv, {&a, &b}, a.value_type());
    for (std::size_t i = 0; i < 200; ++i) {
      ASSERT_EQ(result.data<T>()[i], a.data<T>()[i] / b.data<T>()[i]);
    }
  };
  quotient(float{});
  quotient(double{});
}

// Rounding a quotient of binary16 numbers to binary32 and then to binary16 equals one rounding.
TEST(BroadcastTest, Float16IsRoundedToNearestEven) {
  const Tensor one = Tensor::scalar(from_double<Half>(1.0));
  const Tensor three = Tensor::scalar(from_double<Half>(3.0));
  const Tensor third = call(Op::kDiv, {&one, &three}, one.value_type());
  EXPECT_EQ(third.data<Half>()[0].bits, 0x3555);  // 0.333251953125
  const Tensor tie = Tensor::scalar(from_double<Half>(0x1p-11));
  const Tensor sum = call(Op::kAdd, {&one, &tie}, one.value_type());
  EXPECT_EQ(sum.data<Half>()[0].bits, 0x3C00);
  const Tensor large = Tensor::scalar(from_double<Half>(65504.0));
  EXPECT_EQ(call(Op::kAdd, {&large, &large}, one.value_type()).data<Half>()[0].bits, 0x7C00);
}

TEST(BroadcastTest, IntegersDivideTowardsZero) {
  const Naive x({4}, std::vector<double>{7, -7, 7, -7});
  const Naive y({4}, std::vector<double>{2, 2, -2, -2});
  for (const DataType type : {DataType::kInt8, DataType::kInt32, DataType::kInt64}) {
    expect_broadcast({Op::kDiv, [](double a, double b) { return std::trunc(a / b); }}, type, type,
                     x, y);
  }
}

template <class T>
T binary(Op op, T x, T y) {
  const Tensor a = Tensor::scalar<T>(x);
  const Tensor b = Tensor::scalar<T>(y);
  return call(op, {&a, &b}, a.value_type()).template data<T>()[0];
}

TEST(BroadcastTest, IntegersWrap) {
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(binary(Op::kAdd, kHigh, std::int64_t{1}), kLow);
  EXPECT_EQ(binary(Op::kSub, kLow, std::int64_t{1}), kHigh);
  EXPECT_EQ(binary(Op::kMul, kHigh, std::int64_t{2}), -2);
  EXPECT_EQ(binary(Op::kDiv, kLow, std::int64_t{-1}), kLow);
  EXPECT_EQ(binary<std::int8_t>(Op::kAdd, 127, 1), -128);
  EXPECT_EQ(binary<std::uint8_t>(Op::kSub, 0, 1), 255);
  EXPECT_EQ(binary<std::int32_t>(Op::kMul, 65536, 65536), 0);
  EXPECT_EQ(binary<std::int8_t>(Op::kDiv, -128, -1), -128);
  EXPECT_EQ(binary<std::int32_t>(Op::kPow, 3, 21), static_cast<std::int32_t>(10460353203U));
}

TEST(BroadcastTest, IntegerDivisionByZeroIsRefused) {
  EXPECT_THROW(binary<std::int32_t>(Op::kDiv, 1, 0), InputError);
  EXPECT_THROW(binary<std::uint8_t>(Op::kDiv, 0, 0), InputError);
  EXPECT_THROW(binary<std::int64_t>(Op::kPow, 0, -1), InputError);
  EXPECT_EQ(binary<float>(Op::kDiv, 1, 0), std::numeric_limits<float>::infinity());
}

TEST(BroadcastTest, NegativeIntegerPowersAreTruncatedReciprocals) {
  EXPECT_EQ(binary<std::int32_t>(Op::kPow, 2, -1), 0);
  EXPECT_EQ(binary<std::int32_t>(Op::kPow, 1, -7), 1);
  EXPECT_EQ(binary<std::int32_t>(Op::kPow, -1, -7), -1);
  EXPECT_EQ(binary<std::int32_t>(Op::kPow, -1, -8), 1);
}

TEST(BroadcastTest, PowTakesAnExponentOfAnotherType) {
  for (const DataType base_type : kNumberTypes) {
    for (const DataType exponent_type : kNumberTypes) {
      const Naive x({3}, std::vector<double>{1, 2, 3});
      const Tensor base = to_tensor(base_type, x);
      const Tensor exponent = to_tensor(exponent_type, Naive({}, std::vector<double>{4}));
      expect_equal(call(Op::kPow, {&base, &exponent}, base.value_type()), base_type,
                   Naive({3}, std::vector<double>{1, 16, 81}));
    }
  }
  const Tensor base = Tensor::vector<std::int32_t>({4, 10, 2});
  const Tensor half = Tensor::scalar(0.5F);
  expect_equal(call(Op::kPow, {&base, &half}, base.value_type()), DataType::kInt32,
               Naive({3}, std::vector<double>{2, 3, 1}));
}

TEST(BroadcastTest, PowIsRoundedOnceFromBinary64) {
  Random random(5);
  const Tensor x = to_tensor(DataType::kFloat32, random.reals({500}, 0.01, 20));
  Naive exponents = random.reals({500}, -5, 5);
  std::fill_n(exponents.values.begin(), 100, 2.0);
  const Tensor y = to_tensor(DataType::kFloat32, exponents);
  const Tensor result = call(Op::kPow, {&x, &y}, x.value_type());
  for (std::size_t i = 0; i < 500; ++i) {
    const double wide =
        std::pow(static_cast<double>(x.data<float>()[i]), static_cast<double>(y.data<float>()[i]));
    ASSERT_EQ(result.data<float>()[i], static_cast<float>(wide));
  }
}

TEST(BroadcastTest, MinAndMaxKeepNaNs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Op op : {Op::kMin, Op::kMax}) {
    EXPECT_TRUE(std::isnan(binary(op, nan, 1.0F)));
    EXPECT_TRUE(std::isnan(binary(op, 1.0F, nan)));
  }
}

TEST(BroadcastTest, ComparisonsWithNaNAreFalseAndZerosAreEqual) {
  const Tensor nan = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  const Tensor negative_zero = Tensor::scalar(Half{0x8000});
  const Tensor zero = Tensor::scalar(Half{0});
  const ValueType result{DataType::kBool, {}};
  for (const Op op : {Op::kEqual, Op::kLess, Op::kGreater}) {
    EXPECT_FALSE(call(op, {&nan, &nan}, result).data<bool>()[0]);
  }
  EXPECT_TRUE(call(Op::kEqual, {&zero, &negative_zero}, result).data<bool>()[0]);
}

TEST(BroadcastTest, OperandsThatDoNotFitAreRefused) {
  const Tensor x(DataType::kFloat32, {2, 3});
  const Tensor wrong_shape(DataType::kFloat32, {2});
  const Tensor wrong_type(DataType::kInt32, {2, 3});
  EXPECT_THROW(call(Op::kAdd, {&x, &wrong_shape}, x.value_type()), InputError);
  EXPECT_THROW(call(Op::kAdd, {&x, &wrong_type}, x.value_type()), InputError);
  EXPECT_THROW(call(Op::kAdd, {&x, nullptr}, x.value_type()), InputError);
  EXPECT_THROW(call(Op::kEqual, {&x, &wrong_type}, ValueType{DataType::kBool, {2, 3}}), InputError);
  const Tensor bools(DataType::kBool, {2, 3});
  EXPECT_THROW(call(Op::kAdd, {&bools, &bools}, bools.value_type()), InputError);
  EXPECT_THROW(call(Op::kAnd, {&x, &x}, bools.value_type()), InputError);
}

}  // namespace
}  // namespace weft::reference
