// The unary functions: values fixed by mathematics, exact rounding compared with binary80, and
// selection by name.
#include "models/reference/cpu/nn/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "models/reference/cpu/nn/scalar_functions.h"
#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240618;
using Wide = long double;

float activated(const std::string& name, float x, std::optional<float> alpha = {},
                std::optional<float> beta = {}) {
  Tensor tensor = Tensor::vector<float>({x});
  apply_activation(tensor, name, alpha, beta);
  return tensor.data<float>()[0];
}

// The C library's binary64 functions err by about 2^-53. So the result is the nearest binary32
// number, except in about one of 2^28 cases.
TEST(ActivationTest, RoundsTranscendentalFunctionsOnce) {
  const std::vector<std::pair<std::string, std::function<Wide(Wide)>>> functions{
      {"Exp", [](Wide x) { return std::exp(x); }},
      {"Tanh", [](Wide x) { return std::tanh(x); }},
      {"Erf", [](Wide x) { return std::erf(x); }},
      {"Sigmoid", [](Wide x) { return 1 / (1 + std::exp(-x)); }},
      {"Softplus", [](Wide x) { return std::log1p(std::exp(x)); }},
      {"Elu", [](Wide x) { return x < 0 ? std::expm1(x) : x; }},
      {"Log", [](Wide x) { return std::log(x); }},
      {"Sqrt", [](Wide x) { return std::sqrt(x); }},
      {"Reciprocal", [](Wide x) { return 1 / x; }},
      {"Neg", [](Wide x) { return -x; }},
      {"Abs", [](Wide x) { return std::abs(x); }},
  };
  Generator generator(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const float magnitude = static_cast<float>(between(generator, 1, 1 << 24)) * 0x1p-21F;
    for (const auto& [name, function] : functions) {
      const bool positive = name == "Log" || name == "Sqrt" || i % 2 == 0;
      const float x = positive ? magnitude : -magnitude;
      ASSERT_EQ(activated(name, x), static_cast<float>(function(Wide{x})))
          << name << " of " << x << ", seed " << kSeed;
    }
  }
}

TEST(ActivationTest, KeepsPrecisionNearZeroAndFarOut) {
  EXPECT_EQ(activated("Elu", -0x1p-30F), -0x1p-30F);
  EXPECT_EQ(activated("Softplus", 200.0F), 200.0F);
  EXPECT_GT(activated("Softplus", -100.0F), 0.0F);
  EXPECT_EQ(activated("Sigmoid", -1000.0F), 0.0F);
  EXPECT_EQ(activated("Sigmoid", 0.0F), 0.5F);
}

TEST(ActivationTest, BendsWhereItsDefinitionSays) {
  EXPECT_EQ(activated("Relu", -1), 0.0F);
  EXPECT_FALSE(std::signbit(activated("Relu", -0.0F)));
  EXPECT_EQ(activated("LeakyRelu", -100), -100 * 0.01F);
  EXPECT_EQ(activated("LeakyRelu", -100, 0.5F), -50.0F);
  EXPECT_EQ(activated("HardSigmoid", 1), 0.2F + 0.5F);
  EXPECT_EQ(activated("HardSigmoid", -2.5F), 0.0F);
  EXPECT_EQ(activated("HardSigmoid", 9), 1.0F);
  EXPECT_EQ(activated("HardSwish", -3), 0.0F);
  EXPECT_EQ(activated("HardSwish", 3), 3.0F);
  EXPECT_EQ(activated("HardSwish", 1), 1.0F / 6 + 0.5F);
  EXPECT_EQ(activated("Clip", 9, -1.0F, 6.0F), 6.0F);
  EXPECT_EQ(activated("Clip", -9, -1.0F, 6.0F), -1.0F);
  EXPECT_EQ(activated("Clip", 5), 5.0F);
  EXPECT_EQ(activated("Selu", 2), 2 * 1.05070102214813232421875F);
  EXPECT_NEAR(activated("Selu", -1), -1.1113307F, 1e-6F);
  EXPECT_EQ(activated("Selu", -1, 2.0F, 4.0F), static_cast<float>(8 * std::expm1(-1.0)));
  EXPECT_EQ(activated("Identity", -7), -7.0F);
  EXPECT_EQ(pow(3.0F, 2.0F), 9.0F);
}

TEST(ActivationTest, LeavesANanANan) {
  for (const char* name : {"Relu", "LeakyRelu", "Elu", "Selu", "Sigmoid", "HardSigmoid",
                           "HardSwish", "Tanh", "Softplus", "Clip"}) {
    EXPECT_TRUE(std::isnan(activated(name, std::nanf("")))) << name;
  }
}

TEST(ActivationTest, ComputesFloat64InItsOwnPrecision) {
  Tensor tensor = Tensor::vector<double>({0.1});
  apply_activation(tensor, "Tanh");
  EXPECT_EQ(tensor.data<double>()[0], std::tanh(0.1));
}

TEST(ActivationTest, RefusesUnknownNamesAndOtherTypes) {
  Tensor reals = Tensor::vector<float>({1});
  EXPECT_THROW(apply_activation(reals, "relu"), InputError);
  Tensor integers = Tensor::vector<std::int32_t>({1});
  EXPECT_THROW(apply_activation(integers, "Relu"), InputError);
}

}  // namespace
}  // namespace weft::reference
