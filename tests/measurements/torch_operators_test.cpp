// Sizes of PyTorch's operators. Those of convolutions come from counting windows one by one.
#include "models/measurements/torch_operators.h"

#include <gtest/gtest.h>

namespace weft::measurements {
namespace {

using devices::GemmShape;
using Dims = std::vector<std::vector<std::int64_t>>;

std::optional<GemmShape> shape_of(const char* name, const Dims& dims) {
  return measured_operator(name, {dims, {}, {}}).shape;
}

TEST(TorchOperatorsTest, Products) {
  EXPECT_EQ(shape_of("aten::mm", {{64, 96}, {96, 32}}), (GemmShape{64, 96, 32}));
  EXPECT_EQ(shape_of("aten::addmm", {{32}, {64, 96}, {96, 32}, {}, {}}), (GemmShape{64, 96, 32}));
  EXPECT_EQ(shape_of("aten::bmm", {{12, 64, 96}, {12, 96, 32}}), (GemmShape{64, 96, 32, 12}));
  EXPECT_EQ(shape_of("aten::baddbmm", {{12, 64, 32}, {12, 64, 96}, {12, 96, 32}}),
            (GemmShape{64, 96, 32, 12}));
  EXPECT_EQ(shape_of("aten::linear", {{2, 5, 96}, {32, 96}, {32}}), (GemmShape{10, 96, 32}));
  EXPECT_EQ(shape_of("aten::matmul", {{2, 5, 7, 8}, {2, 5, 8, 9}}), (GemmShape{7, 8, 9, 10}));
  EXPECT_EQ(shape_of("aten::matmul", {{2, 5, 7, 8}, {8, 9}}), (GemmShape{70, 8, 9}));
  EXPECT_EQ(shape_of("aten::matmul", {{7, 8}, {3, 8, 9}}), (GemmShape{7, 8, 9, 3}));
  EXPECT_EQ(shape_of("aten::matmul", {{8}, {8}}), (GemmShape{1, 8, 1}));
}

TEST(TorchOperatorsTest, ArgumentsThatContradictEachOtherGiveNoShape) {
  EXPECT_FALSE(shape_of("aten::mm", {{64, 96}, {95, 32}}));
  EXPECT_FALSE(shape_of("aten::mm", {{64, 96}}));
  EXPECT_FALSE(shape_of("aten::mm", {}));
  EXPECT_FALSE(shape_of("aten::mm", {{0, 96}, {96, 32}}));
  EXPECT_FALSE(shape_of("aten::mm", {{-64, 96}, {96, 32}}));
  EXPECT_FALSE(shape_of("aten::bmm", {{11, 64, 96}, {12, 96, 32}}));
  EXPECT_FALSE(shape_of("aten::linear", {{}, {32, 96}}));
  EXPECT_FALSE(shape_of("aten::matmul", {{2, 7, 8}, {3, 8, 9}}));
  constexpr std::int64_t kHuge = INT64_MAX;
  EXPECT_FALSE(shape_of("aten::mm", {{kHuge, kHuge}, {kHuge, kHuge}}));
  EXPECT_FALSE(shape_of("aten::linear", {{kHuge, kHuge, 8}, {8, 8}}));
  EXPECT_TRUE(measured_operator("aten::mm", {}).is_product);
  EXPECT_FALSE(measured_operator("aten::relu", {{{8, 8}}, {}, {}}).is_product);
}

/// Places of a window along one dimension, counted one by one.
std::uint64_t places(std::int64_t image, std::int64_t window, std::int64_t stride,
                     std::int64_t padding, std::int64_t dilation) {
  std::uint64_t count = 0;
  for (std::int64_t at = -padding; at + dilation * (window - 1) < image + padding; at += stride) {
    ++count;
  }
  return count;
}

TEST(TorchOperatorsTest, ConvolutionsAreTheProductsOfTheirWindows) {
  for (std::int64_t stride = 1; stride <= 3; ++stride) {
    for (std::int64_t padding = 0; padding <= 2; ++padding) {
      for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
        const auto text = [](std::int64_t value) { return "[" + std::to_string(value) + "]"; };
        const TorchArguments arguments = {
            {{4, 6, 13, 17}, {8, 3, 3, 5}, {8}, {}, {}, {}, {}, {}, {}},
            {"c10::BFloat16"},
            {"", "", "", text(stride), text(padding), text(dilation), "False", "[0]", "2"}};
        const Measurement found = measured_operator("aten::convolution", arguments);
        const std::uint64_t positions =
            4 * places(13, 3, stride, padding, dilation) * places(17, 5, stride, padding, dilation);
        EXPECT_EQ(found.shape, (GemmShape{positions, 3 * 3 * 5, 4, 2}));
        EXPECT_EQ(found.format, devices::NumberFormat::kBf16);
      }
    }
  }
}

TEST(TorchOperatorsTest, ConvolutionsOfOldAndDamagedTracesKeepTheirOperandsOnly) {
  const Dims dims = {{4, 6, 13, 17}, {8, 6, 3, 5}};
  EXPECT_FALSE(shape_of("aten::convolution", dims));
  EXPECT_TRUE(measured_operator("aten::convolution", {dims, {}, {}}).conv);
  const auto with = [&](const char* stride, const char* groups) {
    return measured_operator(
               "aten::convolution",
               {dims, {}, {"", "", "", stride, "[0, 0]", "[1, 1]", "False", "[0]", groups}})
        .shape;
  };
  EXPECT_TRUE(with("[1, 1]", "1"));
  for (const char* stride : {"[0, 1]", "[-1]", "[1, 1, 1]", "", "[x]", "[99999999999999999999]"}) {
    EXPECT_FALSE(with(stride, "1")) << stride;
  }
  for (const char* groups : {"0", "3", "-1", ""}) EXPECT_FALSE(with("[1]", groups)) << groups;
  EXPECT_FALSE(measured_operator("aten::convolution", {{{4, 6}, {8, 6}}, {}, {}}).conv);
}

TEST(TorchOperatorsTest, TransposedConvolutionsSpreadEachInput) {
  const TorchArguments arguments = {
      {{2, 6, 5, 7}, {6, 4, 3, 3}},
      {},
      {"", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "2"}};
  EXPECT_EQ(measured_operator("aten::convolution", arguments).shape,
            (GemmShape{2 * 5 * 7, 3, 4 * 9, 2}));
}

}  // namespace
}  // namespace weft::measurements
