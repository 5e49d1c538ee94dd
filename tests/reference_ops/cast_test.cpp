// Cast: every pair of types with values that both hold, and values that the result type cannot
// hold.
#include <limits>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

template <class To, class From>
To cast(From value) {
  const Tensor x = Tensor::scalar<From>(value);
  return call(Op::kCast, {&x}, ValueType{graph::data_type_of<To>(), {}}).template data<To>()[0];
}

template <class T>
constexpr T kLow = std::numeric_limits<T>::min();
template <class T>
constexpr T kHigh = std::numeric_limits<T>::max();

TEST(CastTest, ValuesThatBothTypesHoldAreKept) {
  const Naive values({2, 2}, std::vector<double>{0, 1, 1, 0});
  for (const DataType from : kAllTypes) {
    for (const DataType to : kAllTypes) {
      const Tensor x = to_tensor(from, values);
      expect_equal(call(Op::kCast, {&x}, ValueType{to, {2, 2}}), to, values);
    }
  }
  const Naive numbers({3}, std::vector<double>{2, 100, 127});
  for (const DataType from : kNumberTypes) {
    for (const DataType to : kNumberTypes) {
      const Tensor x = to_tensor(from, numbers);
      expect_equal(call(Op::kCast, {&x}, ValueType{to, {3}}), to, numbers);
    }
  }
}

TEST(CastTest, FloatsAreTruncatedTowardsZero) {
  EXPECT_EQ((cast<std::int32_t>(2.9F)), 2);
  EXPECT_EQ((cast<std::int32_t>(-2.9F)), -2);
  EXPECT_EQ((cast<std::int8_t>(-0.99)), 0);
  EXPECT_EQ((cast<std::uint8_t>(-0.99)), 0);
  EXPECT_EQ((cast<std::int8_t>(-128.9)), -128);
  EXPECT_EQ((cast<std::int64_t>(Half{0xC0CD})), -2);  // -2.4
}

TEST(CastTest, FloatsBeyondTheRangeBecomeItsEnds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((cast<std::int8_t>(300.0F)), 127);
  EXPECT_EQ((cast<std::int8_t>(-kInfinity)), -128);
  EXPECT_EQ((cast<std::uint8_t>(-5.0F)), 0);
  EXPECT_EQ((cast<std::uint8_t>(Half{0x7C00})), 255);
  EXPECT_EQ((cast<std::int32_t>(2147483648.0F)), kHigh<std::int32_t>);
  EXPECT_EQ((cast<std::int32_t>(-3e9F)), kLow<std::int32_t>);
  EXPECT_EQ((cast<std::int64_t>(9223372036854775808.0)), kHigh<std::int64_t>);
  EXPECT_EQ((cast<std::int64_t>(9223372036854774784.0)), 9223372036854774784);
  EXPECT_EQ((cast<std::int64_t>(-1e30)), kLow<std::int64_t>);
  EXPECT_EQ((cast<std::int32_t>(std::numeric_limits<float>::quiet_NaN())), 0);
}

TEST(CastTest, IntegersKeepTheirLowBits) {
  EXPECT_EQ((cast<std::int8_t>(std::int32_t{300})), 44);
  EXPECT_EQ((cast<std::uint8_t>(std::int8_t{-1})), 255);
  EXPECT_EQ((cast<std::int32_t>(std::int64_t{0x1'0000'0001})), 1);
}

TEST(CastTest, FloatsAreRoundedToNearestEvenOnce) {
  EXPECT_EQ((cast<Half>(65519.9F).bits), 0x7BFF);
  EXPECT_EQ((cast<Half>(65520.0F).bits), 0x7C00);
  EXPECT_EQ((cast<Half>(std::int64_t{70000}).bits), 0x7C00);
  // The value is just above the tie between 1 and its successor; via float32 it would be the tie.
  EXPECT_EQ((cast<Half>(1.0 + 0x1p-11 + 0x1p-40).bits), 0x3C01);
  EXPECT_EQ((cast<Half>(1.0F + 0x1p-11F).bits), 0x3C00);
  EXPECT_EQ((cast<float>(1.0 + 0x1p-24)), 1.0F);
  EXPECT_EQ((cast<float>(std::int32_t{16777217})), 16777216.0F);
  EXPECT_EQ((cast<double>(Half{0x3555})), 0.333251953125);
  EXPECT_EQ((cast<Half>(std::int32_t{2049}).bits), 0x6800);  // 2048
}

TEST(CastTest, ABoolIsWhetherItIsNotZero) {
  EXPECT_TRUE((cast<bool>(0.5F)));
  EXPECT_TRUE((cast<bool>(std::int32_t{256})));
  EXPECT_TRUE((cast<bool>(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE((cast<bool>(-0.0F)));
  EXPECT_FALSE((cast<bool>(Half{0x8000})));
  EXPECT_TRUE((cast<bool>(Half{0x0001})));
}

}  // namespace
}  // namespace weft::reference
