// ConvInteger, QLinearConv, MatMulInteger and QLinearMatMul: sums are exact, and requantization
// follows its formula bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "naive_conv.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240612;

/// Reduces a sum, exact in binary64, modulo 2^32.
std::int32_t wrapped(double sum) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
}

/// Rounds half to even, without the processor's rounding.
double round_half_even(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

double saturated(double value, DataType type) {
  const double low = type == DataType::kInt8 ? -128 : 0;
  return std::min(std::max(value, low), low + 255);
}

/// saturate(round_half_even(float(sum) * multiplier) + zero point).
double requantized(std::int32_t sum, float multiplier, double zero_point, DataType type) {
  const float scaled = static_cast<float>(sum) * multiplier;
  return saturated(round_half_even(static_cast<double>(scaled)) + zero_point, type);
}

Tensor random_of(DataType type, Generator& generator, const Shape& shape) {
  if (type == DataType::kInt8) return random_bytes<std::int8_t>(generator, shape);
  return random_bytes<std::uint8_t>(generator, shape);
}

Tensor random_scales(Generator& generator, const Shape& shape) {
  std::vector<float> scales(static_cast<std::size_t>(graph::element_count(shape)));
  for (float& scale : scales) scale = static_cast<float>(between(generator, 1, 1000)) * 0.0003F;
  return Tensor::of(shape, scales);
}

DataType random_type(Generator& generator) {
  return between(generator, 0, 1) == 0 ? DataType::kInt8 : DataType::kUint8;
}

TEST(ConvIntegerTest, EqualsItsDefinition) {
  Generator generator(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 80; ++i) {
    SCOPED_TRACE(testing::Message() << "convolution " << i << " of seed " << kSeed);
    const ConvCase conv =
        random_conv(generator, static_cast<std::size_t>(between(generator, 1, 3)));
    const DataType x_type = random_type(generator);
    const DataType w_type = random_type(generator);
    const Tensor x = random_of(x_type, generator, conv.x_shape());
    const Tensor w = random_of(w_type, generator, conv.w_shape());
    OptionalTensor x_zero;
    OptionalTensor w_zero;
    if (between(generator, 0, 2) > 0) x_zero = random_of(x_type, generator, {});
    if (between(generator, 0, 2) > 0) {
      const bool per_channel = between(generator, 0, 1) == 1;
      w_zero = random_of(w_type, generator, per_channel ? Shape{conv.w_shape()[0]} : Shape{});
      ++hits[per_channel ? "zero point per channel" : "one zero point"];
    }
    const Tensor y = run(Op::kConvInteger, conv.attributes(), {x, w, x_zero, w_zero})[0];
    const NaiveConv naive = naive_conv(conv, x, w, x_zero ? values(*x_zero)[0] : 0.0,
                                       w_zero ? values(*w_zero) : std::vector<double>{0});
    ASSERT_EQ(y.shape(), naive.shape);
    ASSERT_EQ(values(y), naive.sums);
    ++hits[std::string(to_string(x_type)) + " by " + std::string(to_string(w_type))];
  }
  for (const char* kind : {"int8 by int8", "int8 by uint8", "uint8 by int8", "uint8 by uint8",
                           "zero point per channel", "one zero point"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
}

// 255 * 255 * 2313 exceeds the integers that binary32 holds exactly.
TEST(ConvIntegerTest, SumsDeepExtremesExactly) {
  const std::int64_t depth = 257 * 9;
  const Tensor x = Tensor::of({1, 257, 3, 3}, std::vector<std::uint8_t>(depth, 255));
  const Tensor w = Tensor::of({6, 257, 3, 3}, std::vector<std::uint8_t>(6 * depth, 255));
  const Tensor y = run(Op::kConvInteger, {}, {x, w})[0];
  for (const double sum : values(y)) EXPECT_EQ(sum, 255.0 * 255.0 * static_cast<double>(depth));
}

TEST(QLinearConvTest, RequantizesEachChannelByItsScale) {
  Generator generator(kSeed + 1);
  std::map<std::string, int> hits;
  for (int i = 0; i < 80; ++i) {
    SCOPED_TRACE(testing::Message() << "convolution " << i << " of seed " << kSeed + 1);
    const ConvCase conv = random_conv(generator, 2);
    const std::int64_t channels = conv.w_shape()[0];
    const bool per_channel = between(generator, 0, 1) == 1;
    const Shape w_parameters = per_channel ? Shape{channels} : Shape{};
    const DataType x_type = random_type(generator);
    const DataType w_type = random_type(generator);
    const DataType y_type = random_type(generator);
    const Tensor x = random_of(x_type, generator, conv.x_shape());
    const Tensor w = random_of(w_type, generator, conv.w_shape());
    const Tensor x_scale = random_scales(generator, {});
    const Tensor w_scale = random_scales(generator, w_parameters);
    const Tensor y_scale = Tensor::scalar(static_cast<float>(between(generator, 1, 300)) * 0.1F);
    const Tensor x_zero = random_of(x_type, generator, {});
    const Tensor w_zero = random_of(w_type, generator, w_parameters);
    const Tensor y_zero = random_of(y_type, generator, {});
    OptionalTensor bias;
    if (between(generator, 0, 1) == 1) {
      bias = random_integers<std::int32_t>(generator, {channels}, -100000, 100000);
    }
    const Tensor y = run(Op::kQLinearConv, conv.attributes(),
                         {x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias})[0];
    const NaiveConv naive = naive_conv(conv, x, w, values(x_zero)[0], values(w_zero));
    const std::vector<double> out = values(y);
    const auto plane = static_cast<std::size_t>(naive.shape[2] * naive.shape[3]);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t channel = k / plane % static_cast<std::size_t>(channels);
      const double sum = naive.sums[k] + (bias ? values(*bias)[channel] : 0.0);
      const float w_of_channel = w_scale.data<float>()[per_channel ? channel : 0];
      const float product = x_scale.data<float>()[0] * w_of_channel;
      const float multiplier = product / y_scale.data<float>()[0];
      ASSERT_EQ(out[k], requantized(wrapped(sum), multiplier, values(y_zero)[0], y_type));
      const double edge = saturated(-1000, y_type);
      ++hits[out[k] == edge || out[k] == edge + 255 ? "saturated" : "inside"];
    }
    ++hits[per_channel ? "per channel" : "one scale"];
    ++hits[bias ? "bias" : "no bias"];
  }
  for (const char* kind : {"saturated", "inside", "per channel", "one scale", "bias", "no bias"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
}

// The scales are multiplied before the division. With x_scale * (w_scale / y_scale), the results,
// all near 4.5 or 0.5, would be 5, 1 and 0.
TEST(QLinearConvTest, MultipliesTheScalesBeforeItDivides) {
  const auto with = [](std::int8_t x, float w_scale, float y_scale) {
    const Tensor zero = Tensor::scalar<std::int8_t>(0);
    return values(run(Op::kQLinearConv, {},
                      {Tensor::of<std::int8_t>({1, 1, 1}, {x}), Tensor::scalar(0.01F), zero,
                       Tensor::of<std::int8_t>({1, 1, 1}, {1}), Tensor::scalar(w_scale), zero,
                       Tensor::scalar(y_scale), zero})[0])[0];
  };
  EXPECT_EQ(with(25, 0.18F, 0.01F), 4);
  EXPECT_EQ(with(5, 0.3F, 0.03F), 0);
  EXPECT_EQ(with(5, 0.2F, 0.02F), 1);
}

/// A 1x1 QLinearConv of int8 numbers; the scales multiply to `multiplier`. x has zero point 0.
std::vector<double> scaled(const std::vector<std::int8_t>& x, float multiplier, std::int8_t y_zero,
                           const Attributes& attributes = {}) {
  const auto n = static_cast<std::int64_t>(x.size());
  const Tensor zero = Tensor::scalar<std::int8_t>(0);
  const Tensor one = Tensor::scalar(1.0F);
  return values(
      run(Op::kQLinearConv, attributes,
          {Tensor::of({1, 1, n}, x), Tensor::scalar(multiplier), zero,
           Tensor::of<std::int8_t>({1, 1, 1}, {1}), one, zero, one, Tensor::scalar(y_zero)})[0]);
}

TEST(QLinearConvTest, RoundsHalvesToEven) {
  EXPECT_EQ(scaled({1, 3, 5, 7, -1, -3, -5}, 0.5F, 0),
            (std::vector<double>{0, 2, 2, 4, 0, -2, -2}));
}

// The zero point is added after rounding: 0.5 + 1 gives 1, not 2.
TEST(QLinearConvTest, AddsTheZeroPointAfterRounding) {
  EXPECT_EQ(scaled({1, 3, -1}, 0.5F, 1), (std::vector<double>{1, 3, 1}));
}

TEST(QLinearConvTest, Saturates) {
  EXPECT_EQ(scaled({127, -128, 64}, 1e30F, 5), (std::vector<double>{127, -128, 127}));
  EXPECT_EQ(scaled({127, -128, 12}, 1.0F, 100), (std::vector<double>{127, -28, 112}));
}

// In real units, y = x * 0.5. Relu stops at the zero point, Clip at the quantized bounds.
TEST(QLinearConvTest, ActivatesInRealUnits) {
  const Attributes relu{{"activation", std::string("Relu")}};
  EXPECT_EQ(scaled({-100, -2, 0, 2, 100}, 0.5F, 10, relu),
            (std::vector<double>{10, 10, 10, 11, 60}));
  const Attributes clip{
      {"activation", std::string("Clip")}, {"activation_alpha", -0.5F}, {"activation_beta", 6.0F}};
  EXPECT_EQ(scaled({-100, -1, 2, 12, 100}, 0.5F, 10, clip),
            (std::vector<double>{10, 10, 11, 16, 16}));
}

struct Product {
  Shape a;
  Shape b;
  Shape y;
};

/// Shapes of left operand, right operand and result, with the broadcasting written out.
const std::vector<Product>& products() {
  static const std::vector<Product> all{
      {{3, 4}, {4, 5}, {3, 5}},
      {{2, 3, 300}, {300, 5}, {2, 3, 5}},
      {{3, 4}, {2, 4, 5}, {2, 3, 5}},
      {{2, 1, 3, 4}, {6, 4, 5}, {2, 6, 3, 5}},
      {{4}, {4, 5}, {5}},
      {{3, 4}, {4}, {3}},
      {{7}, {7}, {}},
  };
  return all;
}

/// Computes element `at` of the result: sum over k of (a - a_zero[row]) * (b - b_zero[col]).
class NaiveMatmul {
 public:
  NaiveMatmul(const Product& product, const Tensor& a, const Tensor& b, std::vector<double> a_zeros,
              std::vector<double> b_zeros)
      : product_(product),
        a_(values(a)),
        b_(values(b)),
        a_zeros_(std::move(a_zeros)),
        b_zeros_(std::move(b_zeros)) {}

  std::size_t row(const Ints& at) const {
    if (product_.a.size() == 1) return 0;
    return static_cast<std::size_t>(at[at.size() - (product_.b.size() == 1 ? 1 : 2)]);
  }
  std::size_t col(const Ints& at) const {
    return product_.b.size() == 1 ? 0 : static_cast<std::size_t>(at.back());
  }

  double at(const Ints& at) const {
    const Shape left = product_.a.size() == 1 ? joined({1}, product_.a) : product_.a;
    const Shape right = product_.b.size() == 1 ? joined(product_.b, {1}) : product_.b;
    const std::size_t matrix_dims =
        (product_.a.size() == 1 ? 0U : 1U) + (product_.b.size() == 1 ? 0U : 1U);
    const Ints batch(at.begin(), at.end() - static_cast<std::ptrdiff_t>(matrix_dims));
    double sum = 0;
    for (std::int64_t k = 0; k < left.back(); ++k) {
      const Ints from_a = joined(within(left, batch), {static_cast<std::int64_t>(row(at)), k});
      const Ints from_b = joined(within(right, batch), {k, static_cast<std::int64_t>(col(at))});
      sum += (a_[offset(left, from_a)] - pick(a_zeros_, row(at))) *
             (b_[offset(right, from_b)] - pick(b_zeros_, col(at)));
    }
    return sum;
  }

 private:
  static double pick(const std::vector<double>& of, std::size_t i) {
    return of.size() == 1 ? of[0] : of[i];
  }
  /// The batch coordinates for an operand of this shape.
  static Ints within(const Shape& shape, const Ints& batch) {
    Ints result;
    const std::size_t rank = shape.size() - 2;
    for (std::size_t d = 0; d < rank; ++d) {
      result.push_back(shape[d] == 1 ? 0 : batch[batch.size() - rank + d]);
    }
    return result;
  }

  Product product_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> a_zeros_;
  std::vector<double> b_zeros_;
};

/// Shape of one parameter or of `count` parameters; a vector operand has only one.
Shape parameter_shape(Generator& generator, std::size_t rank, std::int64_t count) {
  return rank > 1 && between(generator, 0, 1) == 1 ? Shape{count} : Shape{};
}

TEST(MatMulIntegerTest, EqualsItsDefinition) {
  Generator generator(kSeed + 2);
  int per_row = 0;
  int per_column = 0;
  for (int i = 0; i < 70; ++i) {
    SCOPED_TRACE(testing::Message() << "product " << i << " of seed " << kSeed + 2);
    const Product& product = products()[static_cast<std::size_t>(i) % products().size()];
    const DataType a_type = random_type(generator);
    const DataType b_type = random_type(generator);
    const Tensor a = random_of(a_type, generator, product.a);
    const Tensor b = random_of(b_type, generator, product.b);
    const std::size_t a_rank = product.a.size();
    const std::int64_t rows = a_rank > 1 ? product.a[a_rank - 2] : 1;
    const Tensor a_zero = random_of(a_type, generator, parameter_shape(generator, a_rank, rows));
    const Tensor b_zero = random_of(b_type, generator,
                                    parameter_shape(generator, product.b.size(), product.b.back()));
    const Tensor y = run(Op::kMatMulInteger, {}, {a, b, a_zero, b_zero})[0];
    const NaiveMatmul naive(product, a, b, values(a_zero), values(b_zero));
    ASSERT_EQ(y.shape(), product.y);
    for (const Ints& at : coordinates(product.y)) {
      ASSERT_EQ(values(y)[offset(product.y, at)], naive.at(at));
    }
    per_row += a_zero.size() > 1 ? 1 : 0;
    per_column += b_zero.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(per_row, 0);
  EXPECT_GT(per_column, 0);
}

TEST(QLinearMatMulTest, RequantizesRowsAndColumnsByTheirScales) {
  Generator generator(kSeed + 3);
  int per_row = 0;
  int per_column = 0;
  for (int i = 0; i < 70; ++i) {
    SCOPED_TRACE(testing::Message() << "product " << i << " of seed " << kSeed + 3);
    const Product& product = products()[static_cast<std::size_t>(i) % products().size()];
    const DataType a_type = random_type(generator);
    const DataType b_type = random_type(generator);
    const DataType y_type = random_type(generator);
    const std::size_t a_rank = product.a.size();
    const Shape of_rows =
        parameter_shape(generator, a_rank, a_rank > 1 ? product.a[a_rank - 2] : 1);
    const Shape of_columns = parameter_shape(generator, product.b.size(), product.b.back());
    const Tensor a = random_of(a_type, generator, product.a);
    const Tensor b = random_of(b_type, generator, product.b);
    const Tensor a_scale = random_scales(generator, of_rows);
    const Tensor b_scale = random_scales(generator, of_columns);
    const Tensor a_zero = random_of(a_type, generator, of_rows);
    const Tensor b_zero = random_of(b_type, generator, of_columns);
    const Tensor y_scale = Tensor::scalar(static_cast<float>(between(generator, 1, 300)) * 0.05F);
    const Tensor y_zero = random_of(y_type, generator, {});
    const Tensor y =
        run(Op::kQLinearMatMul, {}, {a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero})[0];
    const NaiveMatmul naive(product, a, b, values(a_zero), values(b_zero));
    for (const Ints& at : coordinates(product.y)) {
      const float of_row = a_scale.data<float>()[a_scale.size() == 1 ? 0 : naive.row(at)];
      const float of_column = b_scale.data<float>()[b_scale.size() == 1 ? 0 : naive.col(at)];
      const float pair = of_row * of_column;
      const float multiplier = pair / y_scale.data<float>()[0];
      ASSERT_EQ(values(y)[offset(product.y, at)],
                requantized(wrapped(naive.at(at)), multiplier, values(y_zero)[0], y_type));
    }
    per_row += a_scale.size() > 1 ? 1 : 0;
    per_column += b_scale.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(per_row, 0);
  EXPECT_GT(per_column, 0);
}

// 2^18 products of 2^14 sum to 2^32, which wraps to 0.
TEST(MatMulIntegerTest, WrapsModulo2To32) {
  const std::int64_t depth = 1 << 18;
  const Tensor a = Tensor::of({1, depth}, std::vector<std::int8_t>(depth, -128));
  const Tensor b = Tensor::of({depth, 1}, std::vector<std::int8_t>(depth, -128));
  EXPECT_EQ(values(run(Op::kMatMulInteger, {}, {a, b})[0]), std::vector<double>{0});
}

TEST(QLinearMatMulTest, RefusesAScaleForEachRowOfTheResult) {
  const Tensor a = Tensor::of<std::int8_t>({2, 1}, {1, 2});
  const Tensor b = Tensor::of<std::int8_t>({1, 1}, {1});
  const Tensor one = Tensor::scalar(1.0F);
  const Tensor zero = Tensor::scalar<std::int8_t>(0);
  const Tensor scales = Tensor::vector<float>({1, 2});
  const Tensor zeros = Tensor::vector<std::int8_t>({0, 0});
  EXPECT_THROW(run(Op::kQLinearMatMul, {}, {a, one, zero, b, one, zero, scales, zeros}),
               InputError);
}

}  // namespace
}  // namespace weft::reference
