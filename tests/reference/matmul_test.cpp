// The CPU reference, checked against an independent triple loop.
#include "models/reference/cpu/product/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/error.h"
#include "models/reference/cpu/product/gemm.h"
#include "pe/float_formats.h"

namespace weft::reference {
namespace {

using Generator = std::mt19937_64;

std::uint64_t below(Generator& generator, std::uint64_t limit) {
  return generator() % limit;
}

Matrix random_int8(Generator& generator, std::uint64_t rows, std::uint64_t cols) {
  Matrix matrix(ElementType::kInt8, rows, cols);
  for (std::byte& byte : matrix.bytes()) byte = static_cast<std::byte>(generator() & 0xFFU);
  return matrix;
}

Matrix random_int32(Generator& generator, std::uint64_t cols) {
  Matrix matrix(ElementType::kInt32, 1, cols);
  for (std::byte& byte : matrix.bytes()) byte = static_cast<std::byte>(generator() & 0xFFU);
  return matrix;
}

/// Small integers: all their products and sums are exact in binary32.
Matrix small_bf16(Generator& generator, std::uint64_t rows, std::uint64_t cols) {
  Matrix matrix(ElementType::kBf16, rows, cols);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t c = 0; c < cols; ++c) {
      matrix.set(r, c, to_bf16(static_cast<float>(below(generator, 17)) - 8.0F));
    }
  }
  return matrix;
}

/// The definition, in 64-bit arithmetic that wraps to 32 bits.
std::int32_t naive(const MatmulProblem& p, std::uint64_t row, std::uint64_t col) {
  std::int64_t sum = 0;
  for (std::uint64_t k = 0; k < p.a.cols(); ++k) {
    sum += (std::int64_t{p.a.at<std::int8_t>(row, k)} - p.a_zero_point) *
           (std::int64_t{p.b.at<std::int8_t>(k, col)} - p.b_zero_point);
  }
  if (p.bias != nullptr) sum += p.bias->at<std::int32_t>(0, col);
  const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  if (p.activation == Activation::kNone || wrapped > 6) {
    return p.activation == Activation::kRelu6 ? 6 : wrapped;
  }
  return wrapped < 0 ? 0 : wrapped;
}

void expect_equals_naive(const MatmulProblem& problem, ResultRows rows, unsigned threads = 1) {
  const std::vector<std::int32_t> result = matmul_int32(problem, rows, threads);
  const std::uint64_t cols = problem.b.cols();
  ASSERT_EQ(result.size(), rows.count * cols);
  for (std::uint64_t i = 0; i < result.size(); ++i) {
    ASSERT_EQ(result[i], naive(problem, rows.first + i / cols, i % cols)) << "element " << i;
  }
}

TEST(ReferenceMatmulTest, EqualsTheTripleLoopOnRandomShapes) {
  Generator generator(20240501);
  int with_bias = 0;
  int with_zero_points = 0;
  int single = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "problem " << i << " of seed 20240501");
    const std::uint64_t m = 1 + below(generator, 40);
    const std::uint64_t k = 1 + below(generator, 70);
    const std::uint64_t n = 1 + below(generator, 50);
    const Matrix a = random_int8(generator, m, k);
    const Matrix b = random_int8(generator, k, n);
    const Matrix bias = random_int32(generator, n);
    const bool add_bias = below(generator, 2) == 1;
    const auto zero = [&] { return static_cast<std::int32_t>(below(generator, 3)) * -64; };
    const MatmulProblem problem{
        a,      b,     add_bias ? &bias : nullptr, static_cast<Activation>(below(generator, 3)),
        zero(), zero()};
    expect_equals_naive(problem, {0, m}, 1 + static_cast<unsigned>(below(generator, 3)));
    with_bias += add_bias ? 1 : 0;
    with_zero_points += problem.a_zero_point != 0 && problem.b_zero_point != 0 ? 1 : 0;
    single += m == 1 || n == 1 || k == 1 ? 1 : 0;
  }
  EXPECT_GT(with_bias, 5);
  EXPECT_GT(with_zero_points, 5);
  EXPECT_GT(single, 0);
}

TEST(ReferenceMatmulTest, CrossesEveryBlockBorder) {
  Generator generator(7);
  const Matrix a = random_int8(generator, 257, 1025);  // blocks are 256 x 1024 x 512
  const Matrix b = random_int8(generator, 1025, 513);
  expect_equals_naive({a, b, nullptr, Activation::kNone, 0, 0}, {0, 257}, 2);
}

TEST(ReferenceMatmulTest, StaysExactAtTheLargestSums) {
  Matrix a(ElementType::kInt8, 1, 4096);
  Matrix b(ElementType::kInt8, 4096, 1);
  for (std::byte& byte : a.bytes()) byte = std::byte{0x80};  // -128 * -128 = 2^14, 2^26 in all
  for (std::byte& byte : b.bytes()) byte = std::byte{0x80};
  a.set<std::int8_t>(0, 0, 1);  // makes the sum odd beyond 2^24, where binary32 has no odd numbers
  b.set<std::int8_t>(0, 0, 1);
  const MatmulProblem problem{a, b, nullptr, Activation::kNone, 0, 0};
  EXPECT_EQ(matmul_int32(problem, {0, 1}).front(), 4095 * 16384 + 1);
}

TEST(ReferenceMatmulTest, WrapsModulo32Bits) {
  Matrix a(ElementType::kInt8, 1, 1);
  Matrix b(ElementType::kInt8, 1, 1);
  Matrix bias(ElementType::kInt32, 1, 1);
  a.set<std::int8_t>(0, 0, 1);
  b.set<std::int8_t>(0, 0, 1);
  bias.set<std::int32_t>(0, 0, INT32_MAX);
  EXPECT_EQ(matmul_int32({a, b, &bias, Activation::kNone, 0, 0}, {0, 1}).front(), INT32_MIN);
  EXPECT_EQ(matmul_int32({a, b, &bias, Activation::kRelu, 0, 0}, {0, 1}).front(), 0);
}

TEST(ReferenceMatmulTest, ComputesRowsFromTheMiddle) {
  Generator generator(11);
  const Matrix a = random_int8(generator, 30, 5);
  const Matrix b = random_int8(generator, 5, 4);
  expect_equals_naive({a, b, nullptr, Activation::kNone, 0, 0}, {13, 9});
}

TEST(ReferenceMatmulTest, FloatsAreExactWhereTheSumsAre) {
  Generator generator(13);
  const Matrix a = small_bf16(generator, 37, 1100);
  const Matrix b = small_bf16(generator, 1100, 29);
  Matrix bias(ElementType::kFloat32, 1, 29);
  for (std::uint64_t col = 0; col < 29; ++col) bias.set(0, col, static_cast<float>(col) - 14.5F);
  const MatmulProblem problem{a, b, &bias, Activation::kRelu, 0, 0};
  const auto doubles = matmul_float64(problem, {0, 37});
  const auto floats = matmul_float32(problem, {0, 37}, 2);
  for (std::uint64_t i = 0; i < doubles.size(); ++i) {
    double sum = static_cast<double>(i % 29) - 14.5;
    for (std::uint64_t k = 0; k < 1100; ++k) {
      sum += double{to_float(a.at<Bf16>(i / 29, k))} * double{to_float(b.at<Bf16>(k, i % 29))};
    }
    ASSERT_EQ(doubles[i], std::max(sum, 0.0)) << "element " << i;
    ASSERT_EQ(floats[i], static_cast<float>(std::max(sum, 0.0))) << "element " << i;
  }
}

TEST(ReferenceMatmulTest, KeepsInfinitiesAndNaNs) {
  Matrix a(ElementType::kFp16, 2, 1);
  Matrix b(ElementType::kFp16, 1, 1);
  a.set(0, 0, Fp16{0x7C00});  // infinity
  a.set(1, 0, Fp16{0x7E00});  // NaN
  b.set(0, 0, Fp16{0xBC00});  // -1
  const auto result = matmul_float64({a, b, nullptr, Activation::kNone, 0, 0}, {0, 2});
  EXPECT_EQ(result[0], -INFINITY);
  EXPECT_TRUE(std::isnan(result[1]));
}

TEST(ReferenceMatmulTest, RefusesOperandsThatDoNotFit) {
  const Matrix a(ElementType::kInt8, 2, 3);
  const Matrix b(ElementType::kInt8, 4, 2);
  const Matrix wide(ElementType::kInt32, 1, 3);
  const Matrix b3(ElementType::kInt8, 3, 2);
  EXPECT_THROW(matmul_int32({a, b, nullptr, Activation::kNone, 0, 0}, {0, 2}), InputError);
  EXPECT_THROW(matmul_int32({a, b3, &wide, Activation::kNone, 0, 0}, {0, 2}), InputError);
  EXPECT_THROW(matmul_int32({a, b3, nullptr, Activation::kNone, 0, 0}, {1, 2}), InputError);
  EXPECT_THROW(matmul_float64({a, b3, nullptr, Activation::kNone, 0, 0}, {0, 2}), InputError);
}

TEST(ReferenceGemmTest, EveryVersionThatRunsHereIsExactOnIntegers) {
  constexpr std::size_t kM = 19;
  constexpr std::size_t kK = 33;
  constexpr std::size_t kN = 41;
  Generator generator(17);
  std::vector<float> a(kM * kK);
  std::vector<float> b(kK * kN);
  for (float& value : a) value = static_cast<float>(below(generator, 255)) - 127.0F;
  for (float& value : b) value = static_cast<float>(below(generator, 255)) - 127.0F;
  const std::vector<double> wide_a(a.begin(), a.end());
  const std::vector<double> wide_b(b.begin(), b.end());
  std::vector<double> expected(kM * kN, 3.0);
  for (std::size_t i = 0; i < kM * kN; ++i) {
    for (std::size_t k = 0; k < kK; ++k) {
      expected[i] += wide_a[i / kN * kK + k] * wide_b[k * kN + i % kN];
    }
  }
  const GemmVersions all = gemm_versions();
  ASSERT_GE(all.count, 1U);
  for (std::size_t i = 0; i < all.count; ++i) {
    if (!all.versions[i].supported) continue;
    SCOPED_TRACE(all.versions[i].name);
    std::vector<float> c(kM * kN, 3.0F);
    std::vector<double> d(kM * kN, 3.0);
    all.versions[i].multiply_float(a.data(), b.data(), c.data(), {kM, kK, kN});
    all.versions[i].multiply_double(wide_a.data(), wide_b.data(), d.data(), {kM, kK, kN});
    EXPECT_EQ(d, expected);
    EXPECT_EQ(std::vector<double>(c.begin(), c.end()), expected);
  }
}

}  // namespace
}  // namespace weft::reference
