// Conv and ConvTranspose compared with their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "naive_conv.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240611;

/// Small integers: all products and sums are exact in any order.
Tensor small_integers(Generator& generator, const Shape& shape) {
  return random_integers<float>(generator, shape, -8, 8);
}

TEST(ConvTest, EqualsItsDefinitionExactlyOnSmallIntegers) {
  Generator generator(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(testing::Message() << "convolution " << i << " of seed " << kSeed);
    const auto dimensions = static_cast<std::size_t>(between(generator, 1, 3));
    const ConvCase conv = random_conv(generator, dimensions);
    const Tensor x = small_integers(generator, conv.x_shape());
    const Tensor w = small_integers(generator, conv.w_shape());
    const Tensor y = run(Op::kConv, conv.attributes(), {x, w})[0];
    const NaiveConv naive = naive_conv(conv, x, w);
    ASSERT_EQ(y.shape(), naive.shape);
    ASSERT_EQ(values(y), naive.sums);
    ++hits[conv.auto_pad];
    ++hits[std::to_string(dimensions) + " dimensions"];
    if (conv.groups > 1) ++hits["groups"];
    if (conv.in_channels == 1 && conv.out_channels == 1) ++hits["depthwise"];
    if (conv.in_channels == 1 && conv.out_channels > 4) ++hits["many from one channel"];
    if (std::ranges::count(conv.kernel, 1) == std::ssize(conv.kernel)) ++hits["pointwise"];
  }
  for (const char* kind :
       {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "1 dimensions", "2 dimensions",
        "3 dimensions", "groups", "depthwise", "many from one channel", "pointwise"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
}

TEST(ConvTest, StaysWithinTheErrorBoundOfASum) {
  Generator generator(kSeed + 1);
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE(testing::Message() << "convolution " << i << " of seed " << kSeed + 1);
    const ConvCase conv = random_conv(generator, 2);
    const Tensor x = random_reals(generator, conv.x_shape());
    const Tensor w = random_reals(generator, conv.w_shape());
    const std::vector<double> y = values(run(Op::kConv, conv.attributes(), {x, w})[0]);
    const NaiveConv naive = naive_conv(conv, x, w);
    // A sum has n products and n additions, each with a relative error of at most u.
    const double n = static_cast<double>(w.size()) / static_cast<double>(w.shape()[0]);
    for (std::size_t k = 0; k < y.size(); ++k) {
      ASSERT_LE(std::abs(y[k] - naive.sums[k]), (n + 1) * kUnit * naive.magnitudes[k]);
    }
  }
}

// Blocks of output positions start and end in the middle of image lines.
TEST(ConvTest, CutsLongOutputsIntoBlocks) {
  Generator generator(kSeed + 2);
  ConvCase conv = random_conv(generator, 2);
  conv.images = conv.groups = 1;
  conv.in_channels = 230;
  conv.out_channels = 2;
  conv.auto_pad = "NOTSET";
  conv.input = {11, 29};
  conv.kernel = {3, 3};
  conv.strides = conv.dilations = {1, 1};
  conv.pads = {1, 1, 1, 1};
  const Tensor x = small_integers(generator, conv.x_shape());
  const Tensor w = small_integers(generator, conv.w_shape());
  EXPECT_EQ(values(run(Op::kConv, conv.attributes(), {x, w})[0]), naive_conv(conv, x, w).sums);
}

TEST(ConvTest, ComputesFloat64InItsOwnPrecision) {
  const Tensor x = Tensor::of<double>({1, 2, 1}, {1.0, 0x1p-40});
  const Tensor w = Tensor::of<double>({1, 2, 1}, {1.0, 1.0});
  EXPECT_EQ(run(Op::kConv, {}, {x, w})[0].data<double>()[0], 1.0 + 0x1p-40);
}

TEST(ConvTest, AddsBiasThenResidualThenActivates) {
  const Tensor x = Tensor::of<float>({1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::of<float>({2, 1, 1}, {1, -1});
  const Tensor bias = Tensor::vector<float>({10, 1});
  const Tensor residual = Tensor::of<float>({1, 2, 3}, {-20, 0, 0, 5, 0, 7});
  Attributes attributes{{"activation", std::string("Relu")}};
  const Tensor y = run(Op::kConv, attributes, {x, w, bias, residual})[0];
  EXPECT_EQ(values(y), (std::vector<double>{0, 12, 13, 5, 0, 5}));
  attributes = {
      {"activation", std::string("Clip")}, {"activation_alpha", -1.5F}, {"activation_beta", 12.5F}};
  EXPECT_EQ(values(run(Op::kConv, attributes, {x, w, bias, residual})[0]),
            (std::vector<double>{-1.5, 12, 12.5, 5, -1, 5}));
  EXPECT_EQ(values(run(Op::kConv, {}, {x, w, std::nullopt, residual})[0]),
            (std::vector<double>{-19, 2, 3, 4, -2, 4}));
}

// In binary16, 2048 + 1 rounds to 2048. Rounded only after the bias of 1, the sum is 2050.
TEST(ConvTest, RoundsFloat16OnceAtTheEnd) {
  const auto half = [](std::uint16_t bits) { return graph::Half{bits}; };
  const Tensor x = Tensor::of<graph::Half>({1, 2, 1}, {half(0x6800), half(0x3C00)});  // 2048, 1
  const Tensor w = Tensor::of<graph::Half>({1, 2, 1}, {half(0x3C00), half(0x3C00)});
  const Tensor bias = Tensor::vector<graph::Half>({half(0x3C00)});
  EXPECT_EQ(run(Op::kConv, {}, {x, w})[0].data<graph::Half>()[0], half(0x6800));
  EXPECT_EQ(run(Op::kConv, {}, {x, w, bias})[0].data<graph::Half>()[0], half(0x6801));
}

TEST(ConvTest, RefusesIntegers) {
  const Tensor x(DataType::kInt32, {1, 1, 3});
  EXPECT_THROW(run(Op::kConv, {}, {x, x}), InputError);
}

/// The definition: every input element spreads the kernel over the output.
std::vector<double> naive_transpose(const ConvCase& conv, const Tensor& x, const Tensor& w,
                                    const Shape& y_shape) {
  const std::vector<double> xs = values(x);
  const std::vector<double> ws = values(w);
  std::vector<double> ys(static_cast<std::size_t>(graph::element_count(y_shape)));
  const std::vector<Ints> taps = coordinates(joined({conv.out_channels}, conv.kernel));
  for (const Ints& from : coordinates(x.shape())) {
    for (const Ints& tap : taps) {
      Ints to{from[0], from[1] / conv.in_channels * conv.out_channels + tap[0]};
      const Ints weight = joined({from[1]}, tap);
      bool inside = true;
      for (std::size_t d = 0; d < conv.dimensions(); ++d) {
        to.push_back(from[d + 2] * conv.strides[d] - conv.pads[d] + tap[d + 1] * conv.dilations[d]);
        inside = inside && to.back() >= 0 && to.back() < y_shape[d + 2];
      }
      if (!inside) continue;
      ys[offset(y_shape, to)] += xs[offset(x.shape(), from)] * ws[offset(w.shape(), weight)];
    }
  }
  return ys;
}

TEST(ConvTransposeTest, EqualsItsDefinitionExactlyOnSmallIntegers) {
  Generator generator(kSeed + 3);
  int with_groups = 0;
  int with_padding = 0;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(testing::Message() << "convolution " << i << " of seed " << kSeed + 3);
    const auto dimensions = static_cast<std::size_t>(between(generator, 1, 3));
    ConvCase conv = random_conv(generator, dimensions);
    conv.auto_pad = "NOTSET";
    Ints extra;
    Shape y_shape{conv.images, conv.groups * conv.out_channels};
    for (std::size_t d = 0; d < dimensions; ++d) {
      extra.push_back(between(generator, 0, conv.strides[d] - 1));
      const std::int64_t full = (conv.input[d] - 1) * conv.strides[d] +
                                (conv.kernel[d] - 1) * conv.dilations[d] + 1 + extra[d];
      // Padding removes the ends of the output; at least one element remains.
      std::int64_t& begin = conv.pads[d];
      std::int64_t& end = conv.pads[dimensions + d];
      begin = std::min(begin, full - 1);
      end = std::min(end, full - 1 - begin);
      y_shape.push_back(full - begin - end);
      with_padding += begin + end > 0 ? 1 : 0;
    }
    const Tensor x = small_integers(generator, conv.x_shape());
    const Tensor w = small_integers(
        generator, joined({conv.groups * conv.in_channels, conv.out_channels}, conv.kernel));
    Attributes attributes = conv.attributes();
    attributes.set("output_padding", extra);
    const Tensor y = run(Op::kConvTranspose, attributes, {x, w})[0];
    ASSERT_EQ(y.shape(), y_shape);
    ASSERT_EQ(values(y), naive_transpose(conv, x, w, y_shape));
    with_groups += conv.groups > 1 ? 1 : 0;
  }
  EXPECT_GT(with_groups, 0);
  EXPECT_GT(with_padding, 0);
}

TEST(ConvTransposeTest, CutsLongInputsIntoBlocks) {
  Generator generator(kSeed + 4);
  ConvCase conv;
  conv.in_channels = 2;
  conv.out_channels = 230;
  conv.input = {7, 29};
  conv.kernel = {3, 3};
  conv.strides = conv.dilations = {1, 1};
  conv.pads = {1, 1, 1, 1};
  conv.auto_pad = "NOTSET";
  const Tensor x = small_integers(generator, conv.x_shape());
  const Tensor w = small_integers(generator, {2, 230, 3, 3});
  const Tensor y = run(Op::kConvTranspose, conv.attributes(), {x, w})[0];
  EXPECT_EQ(values(y), naive_transpose(conv, x, w, {1, 230, 7, 29}));
}

TEST(ConvTest, OfNoImagesHasNoElements) {
  const Tensor w = Tensor::of<float>({2, 1, 1}, {1, 2});
  EXPECT_EQ(run(Op::kConv, {}, {Tensor(DataType::kFloat32, {0, 1, 3}), w})[0].shape(),
            (Shape{0, 2, 3}));
  EXPECT_EQ(
      run(Op::kConvTranspose, {}, {Tensor(DataType::kFloat32, {0, 2, 3}), w.reshaped({2, 1, 1})})[0]
          .size(),
      0);
}

TEST(ConvTransposeTest, TakesTheOutputShapeAndABias) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {1, 2});
  const Tensor w = Tensor::of<float>({1, 1, 2}, {1, 10});
  const Tensor bias = Tensor::vector<float>({100});
  const Attributes attributes{{"strides", Ints{3}}, {"output_shape", Ints{6}}};
  // The kernels spread to 1 10 0 2 20; the output is one element longer.
  EXPECT_EQ(values(run(Op::kConvTranspose, attributes, {x, w, bias})[0]),
            (std::vector<double>{101, 110, 100, 102, 120, 100}));
}

}  // namespace
}  // namespace weft::reference
