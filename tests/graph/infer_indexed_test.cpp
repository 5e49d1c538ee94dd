// Operators whose indices name elements, and those that choose along an axis.
#include <gtest/gtest.h>

#include <limits>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

In indices(const Shape& shape) {
  return {DataType::kInt64, shape};
}

TEST(InferGatherElementsTest, HasTheShapeOfTheIndices) {
  EXPECT_EQ(infer(Op::kGatherElements, {{DataType::kBool, {3, 4}}, indices({2, 9})},
                  {{"axis", integer(1)}})
                .front(),
            (ValueType{DataType::kBool, {2, 9}}));
  EXPECT_EQ(infer_shape(Op::kGatherElements, {Shape{3}, indices({0})}), Shape({0}));
  EXPECT_EQ(infer_error(Op::kGatherElements, {Shape{3, 4}, indices({9, 5})}),
            "input 1 (indices): the shape 9x5 exceeds the data's 3x4 beside axis 0");
  EXPECT_EQ(infer_error(Op::kGatherElements, {Shape{3, 4}, indices({3})}),
            "input 1 (indices): the shape is 3, not of rank 2");
  EXPECT_NE(infer_error(Op::kGatherElements, {Shape{}, indices({})}), "no error");
}

TEST(InferGatherNdTest, PutsARunInPlaceOfEachTuple) {
  const In x = Shape{2, 3, 4, 5};
  EXPECT_EQ(infer_shape(Op::kGatherNd, {x, indices({7, 2})}), Shape({7, 4, 5}));
  EXPECT_EQ(infer_shape(Op::kGatherNd, {x, indices({4})}), Shape({}));
  EXPECT_EQ(infer_shape(Op::kGatherNd, {x, indices({2, 6, 1})}, {{"batch_dims", integer(1)}}),
            Shape({2, 6, 4, 5}));
  EXPECT_EQ(infer_error(Op::kGatherNd, {x, indices({7, 5})}),
            "input 1 (indices): the shape 7x5 does not end with an extent from 1 to 4");
  EXPECT_EQ(infer_error(Op::kGatherNd, {x, indices({7, 0})}),
            "input 1 (indices): the shape 7x0 does not end with an extent from 1 to 4");
  EXPECT_EQ(infer_error(Op::kGatherNd, {x, indices({3, 6, 1})}, {{"batch_dims", integer(1)}}),
            "input 1 (indices): the shape 3x6x1 does not begin with the 1 batch dimensions of "
            "2x3x4x5");
  for (const std::int64_t batch_dims : {3, 4, -1}) {
    EXPECT_EQ(
        infer_error(Op::kGatherNd, {x, indices({2, 3, 1})}, {{"batch_dims", integer(batch_dims)}}),
        "attribute batch_dims: " + std::to_string(batch_dims) +
            " must be from 0 to below both ranks");
  }
}

TEST(InferScatterTest, KeepsTheDatasShape) {
  const In x = Shape{4, 5, 6};
  EXPECT_EQ(infer_shape(Op::kScatterNd, {x, indices({3, 2}), Shape{3, 6}}), Shape({4, 5, 6}));
  EXPECT_EQ(infer_error(Op::kScatterNd, {x, indices({3, 2}), Shape{3, 5}}),
            "input 2 (updates): the shape is 3x5, not 3x6");
  EXPECT_EQ(infer_shape(Op::kScatterElements, {x, indices({1, 2, 3}), Shape{1, 2, 3}}),
            Shape({4, 5, 6}));
  EXPECT_EQ(infer_error(Op::kScatterElements, {x, indices({1, 2, 3}), Shape{1, 2, 4}}),
            "input 2 (updates): the shape is 1x2x4, not 1x2x3");
  EXPECT_EQ(infer_error(Op::kScatterElements, {x, indices({1, 2, 7}), Shape{1, 2, 7}}),
            "input 1 (indices): the shape 1x2x7 exceeds the data's 4x5x6 beside axis 0");
}

TEST(InferScatterTest, KnowsTheReductions) {
  const std::vector<In> floats = {Shape{4}, indices({2, 1}), Shape{2}};
  for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
    EXPECT_EQ(infer_shape(Op::kScatterNd, floats, {{"reduction", reduction}}), Shape({4}));
  }
  EXPECT_EQ(infer_error(Op::kScatterNd, floats, {{"reduction", "sub"}}),
            "attribute reduction: 'sub' is not supported; known are none, add, mul, max, min");
  const std::vector<In> bools = {{DataType::kBool, {4}}, indices({2, 1}), {DataType::kBool, {2}}};
  EXPECT_EQ(infer_shape(Op::kScatterNd, bools), Shape({4}));
  EXPECT_EQ(infer_error(Op::kScatterNd, bools, {{"reduction", "add"}}),
            "attribute reduction: truth values can only be replaced");
}

TEST(InferOneHotTest, InsertsAnAxisOfTheDepth) {
  const In values = {DataType::kInt32, {2}};
  EXPECT_EQ(infer(Op::kOneHot, {indices({2, 3}), list({7}), values}).front(),
            (ValueType{DataType::kInt32, {2, 3, 7}}));
  EXPECT_EQ(infer_shape(Op::kOneHot, {indices({2, 3}), Tensor::scalar(7.9F), values},
                        {{"axis", integer(-3)}}),
            Shape({7, 2, 3}));
  EXPECT_NE(infer_error(Op::kOneHot, {indices({2}), list({7}), values}, {{"axis", integer(2)}}),
            "no error");
  EXPECT_EQ(infer_error(Op::kOneHot, {indices({2}), list({-1}), values}),
            "input 1 (depth): -1 is not a valid extent");
  EXPECT_EQ(
      infer_error(Op::kOneHot,
                  {indices({2}), Tensor::scalar(std::numeric_limits<float>::quiet_NaN()), values}),
      "input 1 (depth): nan is not a valid extent");
  EXPECT_NE(infer_error(Op::kOneHot, {indices({2}), unknown_list(1), values}), "no error");
  EXPECT_NE(infer_error(Op::kOneHot, {indices({4}), list({std::int64_t{1} << 62}), values}),
            "no error");
  EXPECT_EQ(infer_error(Op::kOneHot, {indices({2}), list({7}), {DataType::kInt32, {3}}}),
            "input 2 (values): the shape is 3, not 2");
}

TEST(InferTopKTest, HasKElementsAlongTheAxisInBothOutputs) {
  const auto types = infer(Op::kTopK, {Shape{2, 5}, list({3})}, {}, 2);
  EXPECT_EQ(types[0], (ValueType{DataType::kFloat32, {2, 3}}));
  EXPECT_EQ(types[1], (ValueType{DataType::kInt64, {2, 3}}));
  EXPECT_EQ(infer_shape(Op::kTopK, {Shape{2, 5}, list({0})}, {{"axis", integer(0)}}),
            Shape({0, 5}));
  EXPECT_EQ(infer_error(Op::kTopK, {Shape{2, 5}, list({6})}),
            "input 1 (K): 6 elements of an axis of extent 5 are asked for");
  EXPECT_EQ(infer_error(Op::kTopK, {Shape{2, 5}, list({-1})}),
            "input 1 (K): -1 elements of an axis of extent 5 are asked for");
  EXPECT_EQ(infer_error(Op::kTopK, {Shape{2, 5}, list({1, 2})}),
            "input 1 (K): the shape is 2, not 1");
  EXPECT_NE(infer_error(Op::kTopK, {Shape{2, 5}, unknown_list(1)}), "no error");
}

TEST(InferCumSumTest, KeepsShapeAndType) {
  EXPECT_EQ(infer_shape(Op::kCumSum, {Shape{2, 5}, indices({})}), Shape({2, 5}));
  EXPECT_EQ(infer_error(Op::kCumSum, {Shape{2, 5}, indices({2})}),
            "input 1 (axis): the shape is 2, not scalar");
  EXPECT_NE(infer_error(Op::kCumSum, {Shape{}, indices({})}), "no error");
}

TEST(InferGridSampleTest, HasTheChannelsOfTheImagesAndThePointsOfTheGrid) {
  const In x = Shape{2, 3, 4, 5};
  EXPECT_EQ(infer_shape(Op::kGridSample, {x, Shape{2, 6, 7, 2}}), Shape({2, 3, 6, 7}));
  EXPECT_EQ(infer_error(Op::kGridSample, {x, Shape{2, 6, 7, 3}}),
            "input 1 (grid): the shape is 2x6x7x3, not 2x6x7x2");
  EXPECT_EQ(infer_error(Op::kGridSample, {Shape{2, 3, 4}, Shape{2, 6, 7, 2}}),
            "input 0 (X): the shape is 2x3x4, not of rank 4");
  EXPECT_EQ(infer_error(Op::kGridSample, {Shape{2, 3, 0, 5}, Shape{2, 6, 7, 2}}),
            "input 0 (X): the images are empty");
  EXPECT_EQ(infer_error(Op::kGridSample, {x, Shape{2, 6, 7, 2}}, {{"mode", "cubic"}}),
            "attribute mode: 'cubic' is not supported; known are bilinear, nearest, bicubic");
  EXPECT_EQ(infer_error(Op::kGridSample, {x, Shape{2, 6, 7, 2}}, {{"padding_mode", "wrap"}}),
            "attribute padding_mode: 'wrap' is not supported; known are zeros, border, reflection");
}

}  // namespace
}  // namespace weft::testing_support
