// Corner cases of QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(QuantizeLinearTest, RoundsHalvesToEven) {
  const Tensor x = Tensor::vector<float>({1, 3, 5, -1, -3, 0.9F, 1.1F});
  const Tensor y =
      run(Op::kQuantizeLinear, {}, {x, Tensor::scalar(2.0F), Tensor::scalar<std::int8_t>(0)})[0];
  EXPECT_EQ(values(y), (std::vector<double>{0, 2, 2, 0, -2, 0, 1}));
}

TEST(QuantizeLinearTest, AddsTheZeroPointAfterRoundingAndSaturates) {
  const Tensor x = Tensor::vector<float>({0.5F, 1.5F, 300, -300, 27, 28, -228, -229, 1e30F});
  const Tensor y =
      run(Op::kQuantizeLinear, {}, {x, Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(100)})[0];
  EXPECT_EQ(values(y), (std::vector<double>{100, 102, 127, -128, 127, 127, -128, -128, 127}));
}

TEST(QuantizeLinearTest, MakesUint8WithoutAZeroPoint) {
  const Tensor x = Tensor::vector<float>({-1, 0, 254.5F, 255.5F, kInfinity, -kInfinity});
  const Tensor y = run(Op::kQuantizeLinear, {}, {x, Tensor::scalar(1.0F)})[0];
  EXPECT_EQ(y.type(), DataType::kUint8);
  EXPECT_EQ(values(y), (std::vector<double>{0, 0, 254, 255, 255, 0}));
}

TEST(QuantizeLinearTest, TurnsANanIntoTheZeroPoint) {
  const Tensor x = Tensor::vector<float>({std::nanf("")});
  EXPECT_EQ(values(run(Op::kQuantizeLinear, {},
                       {x, Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(7)})[0]),
            std::vector<double>{7});
}

TEST(QuantizeLinearTest, TakesParametersAlongAnAxis) {
  const Tensor x = Tensor::of<float>({2, 3, 1}, {2, 2, 2, 8, 8, 8});
  const Tensor scale = Tensor::vector<float>({1, 2, 4});
  const Tensor zero = Tensor::vector<std::uint8_t>({0, 10, 20});
  EXPECT_EQ(values(run(Op::kQuantizeLinear, {}, {x, scale, zero})[0]),
            (std::vector<double>{2, 11, 20, 8, 14, 22}));
  const Attributes last{{"axis", std::int64_t{-1}}};
  EXPECT_EQ(values(run(Op::kQuantizeLinear, last, {x.reshaped({2, 3}), scale, zero})[0]),
            (std::vector<double>{2, 11, 20, 8, 14, 22}));
}

TEST(QuantizeLinearTest, TakesInt32) {
  const Tensor x = Tensor::vector<std::int32_t>({10, 15});
  EXPECT_EQ(values(run(Op::kQuantizeLinear, {}, {x, Tensor::scalar(10.0F)})[0]),
            (std::vector<double>{1, 2}));
}

TEST(DequantizeLinearTest, SubtractsTheZeroPointThenScales) {
  const Tensor x = Tensor::vector<std::uint8_t>({0, 128, 255});
  EXPECT_EQ(values(run(Op::kDequantizeLinear, {},
                       {x, Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(128)})[0]),
            (std::vector<double>{-64, 0, 63.5}));
  const Tensor words = Tensor::vector<std::int32_t>({-1'000'000'000, 7});
  EXPECT_EQ(values(run(Op::kDequantizeLinear, {}, {words, Tensor::scalar(2.0F)})[0]),
            (std::vector<double>{-2e9, 14}));
}

TEST(DequantizeLinearTest, TakesParametersAlongAnAxis) {
  const Tensor x = Tensor::of<std::int8_t>({2, 2}, {1, 2, 3, 4});
  const Attributes rows{{"axis", std::int64_t{0}}};
  const Tensor scale = Tensor::vector<float>({1, 10});
  const Tensor zero = Tensor::vector<std::int8_t>({0, 1});
  EXPECT_EQ(values(run(Op::kDequantizeLinear, rows, {x, scale, zero})[0]),
            (std::vector<double>{1, 2, 20, 30}));
  EXPECT_EQ(values(run(Op::kDequantizeLinear, {}, {x, scale, zero})[0]),
            (std::vector<double>{1, 10, 3, 30}));
}

// The operator specification's example: scale (2.5 + 3) / 255, zero point 153.
TEST(DynamicQuantizeLinearTest, CoversTheRangeAndZero) {
  const Tensor x = Tensor::vector<float>({0, 2, -3, -2.5F, 1.34F, 0.5F});
  const std::vector<Tensor> y = run(Op::kDynamicQuantizeLinear, {}, {x}, 3);
  EXPECT_EQ(values(y[0]), (std::vector<double>{153, 255, 0, 26, 221, 179}));
  EXPECT_EQ(y[1].data<float>()[0], 0.019607844F);
  EXPECT_EQ(values(y[2]), std::vector<double>{153});
  const std::vector<Tensor> positive =
      run(Op::kDynamicQuantizeLinear, {}, {Tensor::vector<float>({51, 255})}, 3);
  EXPECT_EQ(values(positive[0]), (std::vector<double>{51, 255}));
  EXPECT_EQ(values(positive[2]), std::vector<double>{0});
}

TEST(DynamicQuantizeLinearTest, KeepsZerosWithoutARange) {
  const std::vector<Tensor> y =
      run(Op::kDynamicQuantizeLinear, {}, {Tensor::vector<float>({0, 0})}, 3);
  EXPECT_EQ(values(y[0]), (std::vector<double>{0, 0}));
  EXPECT_EQ(values(y[1]), std::vector<double>{1});
}

}  // namespace
}  // namespace weft::reference
