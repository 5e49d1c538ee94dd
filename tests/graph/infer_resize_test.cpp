// Operators that compute their output extents from numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

In scales(const std::vector<float>& values) {
  return Tensor::vector(values);
}

TEST(InferPadTest, AddsAndCrops) {
  EXPECT_EQ(infer_shape(Op::kPad, {Shape{1, 3, 4, 5}, list({0, 0, 1, 3, 0, 0, 2, 4})}),
            Shape({1, 3, 7, 12}));
  EXPECT_EQ(infer_shape(Op::kPad, {Shape{5}, list({-2, 1}), Shape{}}), Shape({4}));
  EXPECT_EQ(infer_shape(Op::kPad, {Shape{0}, list({1, 1})}), Shape({2}));
  EXPECT_EQ(infer_error(Op::kPad, {Shape{5}, list({-3, -3})}), "shape -1: an extent is negative");
  EXPECT_EQ(infer_error(Op::kPad, {Shape{5}, list({1})}), "input 1 (pads): the shape is 1, not 2");
  EXPECT_EQ(infer_error(Op::kPad, {Shape{5}, unknown_list(2)}),
            "input 1 (pads) must be known before the network runs; if it depends on inputs, "
            "give them with --input NAME=FILE");
}

TEST(InferPadTest, ReflectsWithinTheExtent) {
  EXPECT_EQ(infer_shape(Op::kPad, {Shape{3}, list({2, 2})}, {{"mode", "reflect"}}), Shape({7}));
  EXPECT_EQ(infer_error(Op::kPad, {Shape{3}, list({3, 0})}, {{"mode", "reflect"}}),
            "input 1 (pads): 3 cannot be reflected from extent 3");
  EXPECT_EQ(infer_shape(Op::kPad, {Shape{3}, list({9, 0})}, {{"mode", "edge"}}), Shape({12}));
  EXPECT_NE(infer_error(Op::kPad, {Shape{0}, list({1, 0})}, {{"mode", "edge"}}), "no error");
  EXPECT_EQ(infer_error(Op::kPad, {Shape{3}, list({1, 1})}, {{"mode", "wrap"}}),
            "attribute mode: 'wrap' is not supported; known are constant, reflect, edge");
}

TEST(InferResizeTest, ScalesRoundDown) {
  const In x = Shape{1, 1, 5, 10};
  EXPECT_EQ(infer_shape(Op::kResize, {x, std::nullopt, scales({1, 1, 2, 0.25F})}),
            Shape({1, 1, 10, 2}));
  // 10 * 0.7f rounds to 7 in float, but is below 7 in double.
  EXPECT_EQ(infer_shape(Op::kResize, {x, std::nullopt, scales({1, 1, 1, 0.7F})}),
            Shape({1, 1, 5, 7}));
}

TEST(InferResizeTest, SizesAreTaken) {
  const In x = Shape{1, 1, 5, 10};
  EXPECT_EQ(infer_shape(Op::kResize, {x, std::nullopt, std::nullopt, list({1, 1, 7, 3})}),
            Shape({1, 1, 7, 3}));
  EXPECT_EQ(infer_shape(Op::kResize, {x, scales({}), scales({}), list({1, 1, 7, 3})},
                        {{"mode", "linear"}}),
            Shape({1, 1, 7, 3}));
}

TEST(InferResizeTest, NamesWhatItDoesNotSupport) {
  const std::vector<In> inputs = {Shape{4}, std::nullopt, scales({2})};
  EXPECT_EQ(infer_error(Op::kResize, inputs, {{"mode", "lanczos"}}),
            "attribute mode: 'lanczos' is not supported; known are nearest, linear, cubic");
  EXPECT_EQ(infer_shape(Op::kResize, inputs, {{"mode", "cubic"}}), Shape({8}));
  EXPECT_NE(infer_error(Op::kResize, inputs, {{"coordinate_transformation_mode", "tf_nearest"}})
                .find("'tf_nearest' is not supported"),
            std::string::npos);
  for (const char* mode : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
    EXPECT_EQ(infer_shape(Op::kResize, inputs, {{"nearest_mode", mode}}), Shape({8}));
  }
  for (const char* mode : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
    EXPECT_EQ(infer_shape(Op::kResize, inputs, {{"coordinate_transformation_mode", mode}}),
              Shape({8}));
  }
}

TEST(InferResizeTest, ScalesTheRegionOfInterest) {
  const Attributes crop = {{"coordinate_transformation_mode", "tf_crop_and_resize"}};
  const In x = Shape{1, 8};
  EXPECT_EQ(infer_shape(Op::kResize, {x, scales({0, 0.25F, 1, 0.75F}), scales({1, 3})}, crop),
            Shape({1, 12}));
  // With sizes, the region may be unknown.
  const In region = Shape{4};
  EXPECT_EQ(infer_shape(Op::kResize, {x, region, std::nullopt, list({1, 5})}, crop), Shape({1, 5}));
  EXPECT_NE(infer_error(Op::kResize, {x, region, scales({1, 3})}, crop), "no error");
  EXPECT_EQ(infer_error(Op::kResize, {x, std::nullopt, scales({1, 3})}, crop),
            "input 1 (roi) is missing");
  EXPECT_EQ(infer_error(Op::kResize, {x, scales({0, 1}), scales({1, 3})}, crop),
            "input 1 (roi): the shape is 2, not 4");
  EXPECT_EQ(infer_error(Op::kResize, {x, scales({0, 0.75F, 1, 0.25F}), scales({1, 3})}, crop),
            "input 1 (roi): an end lies before its start");
}

TEST(InferResizeTest, RefusesWhatGivesNoSize) {
  const In x = Shape{4};
  EXPECT_EQ(infer_error(Op::kResize, {x}), "either scales or sizes must be given");
  EXPECT_EQ(infer_error(Op::kResize, {x, std::nullopt, scales({2}), list({8})}),
            "either scales or sizes must be given");
  EXPECT_EQ(infer_error(Op::kResize, {x, std::nullopt, scales({0})}),
            "input 2 (scales): 0 is not above 0");
  EXPECT_EQ(infer_error(Op::kResize, {x, std::nullopt, scales({0x1p98F})}),
            "input 2 (scales): 1.2676506002282294e+30 is not a valid extent");
  EXPECT_EQ(infer_error(Op::kResize, {Shape{0}, std::nullopt, std::nullopt, list({3})}),
            "extent 0 cannot be resized");
  EXPECT_NE(infer_error(Op::kResize, {x, std::nullopt, scales({std::nanf("")})}), "no error");
  EXPECT_NE(infer_error(Op::kResize, {x, std::nullopt, scales({1, 1})}), "no error");
}

template <class T>
Shape range(T start, T limit, T delta) {
  return infer_shape(Op::kRange,
                     {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)});
}

TEST(InferRangeTest, CountsIntegers) {
  using Int = std::int64_t;
  EXPECT_EQ(range<Int>(0, 10, 3), Shape({4}));
  EXPECT_EQ(range<Int>(0, 9, 3), Shape({3}));
  EXPECT_EQ(range<Int>(10, 4, -2), Shape({3}));
  EXPECT_EQ(range<Int>(4, 10, -2), Shape({0}));
  EXPECT_EQ(range<std::int32_t>(5, 6, 100), Shape({1}));
  constexpr Int kLeast = std::numeric_limits<Int>::min();
  constexpr Int kMost = std::numeric_limits<Int>::max();
  EXPECT_EQ(range<Int>(kLeast, kMost, kMost), Shape({3}));
  EXPECT_EQ(range<Int>(kMost, kLeast, kLeast), Shape({2}));
  EXPECT_THROW(range<Int>(kLeast, kMost, 1), InputError);
  EXPECT_THROW(range<Int>(0, 1, 0), InputError);
}

TEST(InferRangeTest, CountsFloats) {
  EXPECT_EQ(range<float>(1, 5, 2), Shape({2}));
  EXPECT_EQ(range<float>(10, 4, -2.5F), Shape({3}));
  EXPECT_EQ(range<double>(0, 1, 0.3), Shape({4}));
  EXPECT_EQ(range<double>(1, 0, 0.3), Shape({0}));
  EXPECT_THROW(range<double>(0, 1e300, 1), InputError);
  EXPECT_THROW(range<double>(0, std::nan(""), 1), InputError);
}

TEST(InferRangeTest, NeedsKnownScalars) {
  const In one = Tensor::scalar(1.0F);
  EXPECT_EQ(infer_error(Op::kRange, {one, Shape{}, one}),
            "input 1 (limit) must be known before the network runs; if it depends on inputs, "
            "give them with --input NAME=FILE");
  EXPECT_NE(infer_error(Op::kRange, {one, scales({1, 2}), one}), "no error");
  EXPECT_NE(infer_error(Op::kRange, {{DataType::kFloat16, {}}, one, one}), "no error");
}

}  // namespace
}  // namespace weft::testing_support
