// Operators that copy elements.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

TEST(InferConcatTest, AddsExtentsAlongTheAxis) {
  const std::vector<In> inputs = {Shape{2, 3}, Shape{2, 0}, Shape{2, 4}};
  EXPECT_EQ(infer_shape(Op::kConcat, inputs, {{"axis", integer(-1)}}), Shape({2, 7}));
  EXPECT_EQ(infer_shape(Op::kConcat, {Shape{5}}, {{"axis", integer(0)}}), Shape({5}));
  EXPECT_EQ(infer_error(Op::kConcat, inputs), "attribute axis is missing");
  EXPECT_EQ(infer_error(Op::kConcat, inputs, {{"axis", integer(0)}}),
            "input 1 (inputs): the shape is 2x0, not 2x3");
  EXPECT_EQ(infer_error(Op::kConcat, {Shape{2, 3}, Shape{2}}, {{"axis", integer(1)}}),
            "input 1 (inputs): the shape is 2, not 2x3");
  EXPECT_NE(infer_error(Op::kConcat, {Shape{}, Shape{}}, {{"axis", integer(0)}}), "no error");
}

TEST(InferSplitTest, DividesEquallyOrAsGiven) {
  const auto halves = infer(Op::kSplit, {Shape{6, 2}}, {}, 2);
  EXPECT_EQ(halves[1].shape, Shape({3, 2}));
  const auto parts = infer(Op::kSplit, {Shape{2, 6}, list({1, 0, 5})}, {{"axis", integer(-1)}}, 3);
  EXPECT_EQ(parts[0].shape, Shape({2, 1}));
  EXPECT_EQ(parts[1].shape, Shape({2, 0}));
  EXPECT_EQ(parts[2].shape, Shape({2, 5}));
}

TEST(InferSplitTest, RefusesPartsThatDoNotSumUp) {
  EXPECT_EQ(infer_error(Op::kSplit, {Shape{5}}, {}, 2), "extent 5 is not divisible by 2 outputs");
  EXPECT_EQ(infer_error(Op::kSplit, {Shape{5}, list({2, 2})}, {}, 2),
            "input 1 (split): the parts sum to 4, not 5");
  EXPECT_EQ(infer_error(Op::kSplit, {Shape{5}, list({2, 3})}, {}, 3),
            "input 1 (split): 2 parts for 3 outputs");
  EXPECT_EQ(infer_error(Op::kSplit, {Shape{5}, list({6, -1})}, {}, 2),
            "input 1 (split): part -1 is negative");
  EXPECT_EQ(infer_error(Op::kSplit, {Shape{5}}, {}, 0), "0 outputs, not 1 or more");
}

TEST(InferSliceTest, CutsAlongAxes) {
  const In x = Shape{20, 10, 5};
  EXPECT_EQ(infer_shape(Op::kSlice, {x, list({0, 0}), list({3, 10}), list({0, 1}), list({1, 1})}),
            Shape({3, 10, 5}));
  EXPECT_EQ(infer_shape(Op::kSlice, {x, list({0, 0, 3}), list({20, 10, 4})}), Shape({20, 10, 1}));
  EXPECT_EQ(infer_shape(Op::kSlice, {x, list({20, 10, 4}), list({0, 0, 1}), list({0, 1, 2}),
                                     list({-1, -3, -2})}),
            Shape({19, 3, 2}));
  EXPECT_EQ(infer_shape(Op::kSlice, {x, list({0}), list({1000}), list({1}), std::nullopt}),
            Shape({20, 10, 5}));
  EXPECT_EQ(infer_shape(Op::kSlice, {x, list({1000}), list({1000}), list({-1})}),
            Shape({20, 10, 0}));
}

TEST(InferSliceTest, RefusesUnknownBoundsAndMixedTypes) {
  const In x = Shape{4};
  EXPECT_EQ(infer_error(Op::kSlice, {x, list({0}), unknown_list(1)}),
            "input 2 (ends) must be known before the network runs; if it depends on inputs, "
            "give them with --input NAME=FILE");
  EXPECT_EQ(infer_error(Op::kSlice, {x, list({0}), Tensor::vector<std::int32_t>({1})}),
            "input 2 (ends): int32, but input 1 (starts) is int64");
  EXPECT_EQ(infer_error(Op::kSlice, {x, list({0}), list({1}), list({0}), list({0})}),
            "a step is 0");
  EXPECT_EQ(infer_error(Op::kSlice, {x, Tensor::scalar<std::int64_t>(0), list({1})}),
            "input 1 (starts): the shape is scalar, not of rank 1");
}

TEST(InferGatherTest, PutsTheIndicesShapeInPlaceOfTheAxis) {
  const In indices = {DataType::kInt64, {5, 6}};
  EXPECT_EQ(infer_shape(Op::kGather, {Shape{2, 3, 4}, indices}), Shape({5, 6, 3, 4}));
  EXPECT_EQ(infer_shape(Op::kGather, {Shape{2, 3, 4}, indices}, {{"axis", integer(-1)}}),
            Shape({2, 3, 5, 6}));
  EXPECT_EQ(infer_shape(Op::kGather, {Shape{3}, {DataType::kInt32, {}}}), Shape({}));
  EXPECT_EQ(infer_shape(Op::kGather, {Shape{3}, list({-3})}), Shape({1}));
  EXPECT_NE(infer_error(Op::kGather, {Shape{}, indices}), "no error");
  EXPECT_NE(infer_error(Op::kGather, {Shape{3}, Shape{1}}), "no error");
}

TEST(InferTransposeTest, ReversesOrPermutes) {
  EXPECT_EQ(infer_shape(Op::kTranspose, {Shape{2, 3, 4}}), Shape({4, 3, 2}));
  EXPECT_EQ(infer_shape(Op::kTranspose, {Shape{2, 3, 4}}, {{"perm", Ints{1, 2, 0}}}),
            Shape({3, 4, 2}));
  EXPECT_EQ(infer_shape(Op::kTranspose, {Shape{}}), Shape({}));
  for (const Ints& perm : {Ints{0, 1}, Ints{0, 1, 1}, Ints{0, 1, 3}, Ints{-1, 0, 1}}) {
    EXPECT_EQ(infer_error(Op::kTranspose, {Shape{2, 3, 4}}, {{"perm", perm}}),
              "attribute perm: not a permutation of 3 dimensions");
  }
}

TEST(InferShapeTest, HasOneElementForEachDimensionAsked) {
  EXPECT_EQ(infer(Op::kShape, {Shape{2, 3, 4}}).front(), (ValueType{DataType::kInt64, {3}}));
  EXPECT_EQ(infer_shape(Op::kShape, {Shape{2, 3, 4}}, {{"start", integer(-1)}}), Shape({1}));
  EXPECT_EQ(infer_shape(Op::kShape, {Shape{2, 3, 4}}, {{"end", integer(-3)}}), Shape({0}));
}

TEST(InferConstantOfShapeTest, TakesTheValuesType) {
  EXPECT_EQ(infer(Op::kConstantOfShape, {list({2, 0})}).front(),
            (ValueType{DataType::kFloat32, {2, 0}}));
  const Attributes one = {{"value", Tensor::vector<std::int32_t>({1})}};
  EXPECT_EQ(infer(Op::kConstantOfShape, {list({})}, one).front(),
            (ValueType{DataType::kInt32, {}}));
  const Attributes two = {{"value", Tensor::vector<std::int32_t>({1, 2})}};
  EXPECT_EQ(infer_error(Op::kConstantOfShape, {list({3})}, two),
            "attribute value: 2 elements, not 1");
  EXPECT_EQ(infer_error(Op::kConstantOfShape, {list({2, -1})}),
            "shape 2x-1: an extent is negative");
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_NE(infer_error(Op::kConstantOfShape, {list({huge, huge})}), "no error");
}

TEST(InferExpandTest, BroadcastsBothWays) {
  EXPECT_EQ(infer_shape(Op::kExpand, {Shape{3, 1}, list({2, 1, 6})}), Shape({2, 3, 6}));
  EXPECT_EQ(infer_shape(Op::kExpand, {Shape{3, 4}, list({1})}), Shape({3, 4}));
  EXPECT_EQ(infer_shape(Op::kExpand, {Shape{1}, list({0})}), Shape({0}));
  EXPECT_NE(infer_error(Op::kExpand, {Shape{3}, list({2})}), "no error");
  EXPECT_NE(infer_error(Op::kExpand, {Shape{1}, list({-1})}), "no error");
}

TEST(InferTileTest, MultipliesExtents) {
  EXPECT_EQ(infer_shape(Op::kTile, {Shape{2, 3}, list({3, 0})}), Shape({6, 0}));
  EXPECT_EQ(infer_error(Op::kTile, {Shape{2, 3}, list({3})}),
            "input 1 (repeats): the shape is 1, not 2");
  EXPECT_EQ(infer_error(Op::kTile, {Shape{2}, list({-1})}),
            "input 1 (repeats): a number is negative");
  EXPECT_EQ(infer_error(Op::kTile, {Shape{4}, list({std::int64_t{1} << 62})}),
            "the extents overflow 64 bits");
}

}  // namespace
}  // namespace weft::testing_support
