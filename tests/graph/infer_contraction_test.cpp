// Convolutions and matrix products. The shapes are worked out by hand from the ONNX specification.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

TEST(InferConvTest, TakesOneToThreeSpatialDimensions) {
  EXPECT_EQ(infer_shape(Op::kConv, {Shape{2, 3, 10}, Shape{4, 3, 3}}), Shape({2, 4, 8}));
  EXPECT_EQ(infer_shape(Op::kConv, {Shape{1, 3, 224, 224}, Shape{64, 3, 7, 7}, Shape{64}},
                        {{"strides", Ints{2, 2}}, {"pads", Ints{3, 3, 3, 3}}}),
            Shape({1, 64, 112, 112}));
  EXPECT_EQ(infer_shape(Op::kConv, {Shape{1, 1, 5, 6, 7}, Shape{2, 1, 1, 2, 3}}),
            Shape({1, 2, 5, 5, 5}));
  EXPECT_NE(infer_error(Op::kConv, {Shape{1, 1}, Shape{1, 1}}), "no error");
  EXPECT_NE(infer_error(Op::kConv, {Shape{1, 1, 1, 1, 1, 1}, Shape{1, 1, 1, 1, 1, 1}}), "no error");
}

TEST(InferConvTest, DividesChannelsIntoGroups) {
  const Attributes two = {{"group", integer(2)}};
  EXPECT_EQ(infer_shape(Op::kConv, {Shape{1, 4, 5, 5}, Shape{6, 2, 3, 3}}, two),
            Shape({1, 6, 3, 3}));
  EXPECT_EQ(infer_error(Op::kConv, {Shape{1, 4, 5, 5}, Shape{6, 3, 3, 3}}, two),
            "the input has 4 channels, but the weights are for 6 in 2 groups");
  EXPECT_EQ(infer_error(Op::kConv, {Shape{1, 4, 5, 5}, Shape{5, 2, 3, 3}}, two),
            "5 output channels are not divisible by 2 groups");
  EXPECT_NE(infer_error(Op::kConv, {Shape{1, 0, 5, 5}, Shape{1, 1, 3, 3}}, {{"group", integer(0)}}),
            "no error");
}

TEST(InferConvTest, ReadsDilationsAndAutoPad) {
  const std::vector<In> inputs = {Shape{1, 1, 7, 8}, Shape{1, 1, 3, 3}};
  EXPECT_EQ(infer_shape(Op::kConv, inputs, {{"dilations", Ints{2, 3}}}), Shape({1, 1, 3, 2}));
  const Attributes same = {{"auto_pad", "SAME_LOWER"}, {"strides", Ints{2, 3}}};
  EXPECT_EQ(infer_shape(Op::kConv, inputs, same), Shape({1, 1, 4, 3}));
}

TEST(InferConvTest, GivesNothingForAnEmptyBatch) {
  EXPECT_EQ(infer_shape(Op::kConv, {Shape{0, 3, 5, 5}, Shape{4, 3, 3, 3}}), Shape({0, 4, 3, 3}));
}

TEST(InferConvTest, TakesResidualWithoutBias) {
  const std::vector<In> inputs = {Shape{1, 3, 5, 5}, Shape{4, 3, 3, 3}, std::nullopt,
                                  Shape{1, 4, 3, 3}};
  EXPECT_EQ(infer_shape(Op::kConv, inputs), Shape({1, 4, 3, 3}));
  EXPECT_EQ(
      infer_error(Op::kConv, {Shape{1, 3, 5, 5}, Shape{4, 3, 3, 3}, Shape{4}, Shape{1, 4, 3, 1}}),
      "input 3 (residual): the shape is 1x4x3x1, not 1x4x3x3");
}

TEST(InferConvTest, RefusesWhatDoesNotFit) {
  const In x = Shape{1, 3, 5, 5};
  const In w = Shape{4, 3, 3, 3};
  EXPECT_EQ(infer_error(Op::kConv, {x, w, Shape{3}}), "input 2 (B): the shape is 3, not 4");
  EXPECT_EQ(infer_error(Op::kConv, {x, Shape{4, 3, 3}}),
            "input 1 (W): the shape is 4x3x3, not of rank 4");
  EXPECT_EQ(infer_error(Op::kConv, {x, Shape{4, 3, 6, 3}}),
            "a kernel that spans 6 positions is larger than the padded input, 5");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"kernel_shape", Ints{3, 2}}}),
            "attribute kernel_shape: 3x2, but the weights' kernel is 3x3");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"strides", Ints{0, 1}}}),
            "attribute strides: 0 is below 1");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"dilations", Ints{1}}}),
            "attribute dilations: 1 values where 2 are needed");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"pads", Ints{0, -1, 0, 0}}}),
            "attribute pads: -1 is below 0");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"auto_pad", "SAME"}}),
            "attribute auto_pad: 'SAME' is not supported; known are NOTSET, VALID, SAME_UPPER, "
            "SAME_LOWER");
  EXPECT_EQ(infer_error(Op::kConv, {x, w}, {{"auto_pad", "VALID"}, {"pads", Ints{0, 1, 0, 0}}}),
            "attribute pads: cannot be combined with auto_pad VALID");
  EXPECT_EQ(infer_error(Op::kConv, {x, Shape{4, 3, 0, 3}}), "kernel extent 0 is below 1");
}

TEST(InferConvTest, RefusesExtentsThatOverflow) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<In> inputs = {Shape{1, 1, 5}, Shape{1, 1, 3}};
  EXPECT_EQ(infer_error(Op::kConv, inputs, {{"dilations", Ints{huge}}}),
            "the extents overflow 64 bits");
  EXPECT_EQ(infer_error(Op::kConv, inputs, {{"pads", Ints{huge, huge}}}),
            "the extents overflow 64 bits");
  EXPECT_NE(
      infer_error(Op::kConv, {Shape{1 << 20, 1, 5}, Shape{1, 1, 1}}, {{"pads", Ints{huge, 0}}}),
      "no error");
}

TEST(InferConvTransposeTest, GrowsByTheStride) {
  EXPECT_EQ(infer_shape(Op::kConvTranspose, {Shape{1, 1, 3, 3}, Shape{1, 2, 3, 3}}),
            Shape({1, 2, 5, 5}));
  EXPECT_EQ(infer_shape(Op::kConvTranspose, {Shape{1, 1, 3, 3}, Shape{1, 2, 3, 3}},
                        {{"strides", Ints{3, 2}}, {"pads", Ints{1, 2, 1, 2}}}),
            Shape({1, 2, 7, 3}));
  EXPECT_EQ(infer_shape(Op::kConvTranspose, {Shape{1, 1, 3, 3}, Shape{1, 2, 3, 3}},
                        {{"strides", Ints{3, 2}}, {"output_padding", Ints{1, 1}}}),
            Shape({1, 2, 10, 8}));
  EXPECT_EQ(infer_shape(Op::kConvTranspose, {Shape{1, 1, 3, 3}, Shape{1, 1, 2, 2}},
                        {{"dilations", Ints{2, 2}}}),
            Shape({1, 1, 5, 5}));
}

TEST(InferConvTransposeTest, TakesGivenOutputAndSamePadding) {
  const std::vector<In> inputs = {Shape{1, 1, 3, 3}, Shape{1, 2, 3, 3}};
  EXPECT_EQ(infer_shape(Op::kConvTranspose, inputs,
                        {{"strides", Ints{3, 2}}, {"output_shape", Ints{10, 8}}}),
            Shape({1, 2, 10, 8}));
  EXPECT_EQ(infer_shape(Op::kConvTranspose, inputs,
                        {{"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}}),
            Shape({1, 2, 6, 6}));
}

TEST(InferConvTransposeTest, MultipliesOutputChannelsByGroups) {
  EXPECT_EQ(infer_shape(Op::kConvTranspose, {Shape{1, 4, 3}, Shape{4, 3, 2}, Shape{6}},
                        {{"group", integer(2)}}),
            Shape({1, 6, 4}));
  EXPECT_EQ(
      infer_error(Op::kConvTranspose, {Shape{1, 4, 3}, Shape{4, 3, 2}}, {{"group", integer(3)}}),
      "4 channels, weights for 4 and 3 groups do not fit together");
}

TEST(InferMatMulTest, TreatsVectorsAsRowsAndColumns) {
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{2, 3}, Shape{3, 4}}), Shape({2, 4}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{3}, Shape{3, 4}}), Shape({4}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{2, 3}, Shape{3}}), Shape({2}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{3}, Shape{3}}), Shape({}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{3}, Shape{5, 3, 4}}), Shape({5, 4}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{5, 2, 3}, Shape{3}}), Shape({5, 2}));
}

TEST(InferMatMulTest, BroadcastsTheBatch) {
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{7, 1, 2, 3}, Shape{5, 3, 4}}), Shape({7, 5, 2, 4}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{0, 2, 3}, Shape{3, 4}}), Shape({0, 2, 4}));
  EXPECT_EQ(infer_shape(Op::kMatMul, {Shape{2, 0}, Shape{0, 4}}), Shape({2, 4}));
  EXPECT_EQ(infer_error(Op::kMatMul, {Shape{2, 3}, Shape{2, 3}}),
            "shapes 2x3 and 2x3 cannot be multiplied");
  EXPECT_EQ(infer_error(Op::kMatMul, {Shape{}, Shape{2, 3}}),
            "input 0 (A): the shape is scalar, not of rank 1 or more");
  EXPECT_EQ(infer_error(Op::kMatMul, {Shape{2, 1, 1}, Shape{3, 1, 1}}),
            "shapes 2 and 3 do not broadcast");
}

TEST(InferMatMulTest, TakesBiasResidualAndActivation) {
  const In a = Shape{5, 2, 3};
  const In b = Shape{3, 4};
  const Attributes relu = {{"activation", "LeakyRelu"}, {"activation_alpha", 0.1F}};
  EXPECT_EQ(infer_shape(Op::kMatMul, {a, b, Shape{4}, Shape{5, 2, 4}}, relu), Shape({5, 2, 4}));
  EXPECT_EQ(infer_error(Op::kMatMul, {a, b, Shape{2}}), "input 2 (bias): the shape is 2, not 4");
  EXPECT_EQ(infer_error(Op::kMatMul, {a, b}, {{"activation", "Softmax"}}),
            "attribute activation: MatMul does not support 'Softmax'");
  EXPECT_NE(infer_error(Op::kMatMul, {a, b}, {{"activation", "PRelu"}}), "no error");
  EXPECT_EQ(infer_error(Op::kMatMul, {a, b}, {{"activation_beta", 1.0F}}),
            "attribute activation is missing, but its alpha or beta is given");
}

TEST(InferGemmTest, TransposesAndBroadcastsC) {
  EXPECT_EQ(infer_shape(Op::kGemm, {Shape{3, 2}, Shape{4, 3}},
                        {{"transA", integer(1)}, {"transB", integer(1)}}),
            Shape({2, 4}));
  for (const Shape& c : {Shape{}, Shape{4}, Shape{1, 4}, Shape{2, 1}, Shape{2, 4}, Shape{1}}) {
    EXPECT_EQ(infer_shape(Op::kGemm, {Shape{2, 3}, Shape{3, 4}, c}), Shape({2, 4}));
  }
  EXPECT_NE(infer_error(Op::kGemm, {Shape{2, 3}, Shape{3, 4}, Shape{2}}), "no error");
  EXPECT_EQ(infer_error(Op::kGemm, {Shape{1, 3}, Shape{3, 4}, Shape{2, 4}}),
            "input 2 (C): the shape is 2x4, not one that broadcasts to 1x4");
  EXPECT_EQ(infer_error(Op::kGemm, {Shape{2, 3}, Shape{4, 3}}),
            "shapes 2x3 and 4x3 cannot be multiplied");
  EXPECT_NE(infer_error(Op::kGemm, {Shape{1, 2, 3}, Shape{3, 4}}), "no error");
}

TEST(InferContractionTest, ChecksElementTypes) {
  const In half = {DataType::kFloat16, {3, 4}};
  EXPECT_EQ(infer_type(Op::kMatMul, {{DataType::kInt32, {2, 3}}, {DataType::kInt32, {3, 4}}}),
            DataType::kInt32);
  EXPECT_EQ(infer_error(Op::kMatMul, {Shape{2, 3}, half}),
            "input 1 (B): float16, but input 0 (A) is float32");
  EXPECT_EQ(infer_error(Op::kConv, {{DataType::kInt8, {1, 1, 3}}, {DataType::kInt8, {1, 1, 3}}}),
            "input 0 (X): type int8 is not one of float16, float32, float64");
}

}  // namespace
}  // namespace weft::testing_support
