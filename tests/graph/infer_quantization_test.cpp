// Integer and quantized operators.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

In int8(Shape shape) {
  return {DataType::kInt8, std::move(shape)};
}
In uint8(Shape shape) {
  return {DataType::kUint8, std::move(shape)};
}
In scale(Shape shape = {}) {
  return {DataType::kFloat32, std::move(shape)};
}

std::vector<In> qlinear_conv(const Shape& weight_scale = {}) {
  return {uint8({1, 3, 5, 5}), scale(), uint8({}), int8({4, 3, 3, 3}), scale(weight_scale),
          int8(weight_scale),  scale(), int8({})};
}

TEST(InferQuantizationTest, IntegerConvolutionGivesInt32) {
  const std::vector<In> inputs = {uint8({1, 1, 3, 3}), int8({2, 1, 2, 2}), uint8({}), int8({2})};
  EXPECT_EQ(infer(Op::kConvInteger, inputs).front(), (ValueType{DataType::kInt32, {1, 2, 2, 2}}));
  EXPECT_EQ(infer_error(Op::kConvInteger, {inputs[0], inputs[1], uint8({2})}),
            "input 2 (x_zero_point): the shape is 2, not scalar");
  EXPECT_EQ(infer_error(Op::kConvInteger, {inputs[0], inputs[1], int8({})}),
            "input 2 (x_zero_point): int8, but input 0 (x) is uint8");
}

TEST(InferQuantizationTest, QuantizedConvolutionGivesTheZeroPointsType) {
  EXPECT_EQ(infer(Op::kQLinearConv, qlinear_conv()).front(),
            (ValueType{DataType::kInt8, {1, 4, 3, 3}}));
  std::vector<In> inputs = qlinear_conv({4});
  inputs.push_back({DataType::kInt32, {4}});
  EXPECT_EQ(infer_shape(Op::kQLinearConv, inputs), Shape({1, 4, 3, 3}));
  EXPECT_EQ(infer_error(Op::kQLinearConv, qlinear_conv({3})),
            "input 4 (b_scale): the shape is 3, not scalar or 4");
  inputs.back() = In(DataType::kInt32, {3});
  EXPECT_EQ(infer_error(Op::kQLinearConv, inputs), "input 8 (B): the shape is 3, not 4");
}

TEST(InferQuantizationTest, QuantizedFormsHaveReluAndClipAlone) {
  EXPECT_EQ(infer_shape(Op::kQLinearConv, qlinear_conv(), {{"activation", "Clip"}}),
            Shape({1, 4, 3, 3}));
  EXPECT_EQ(infer_error(Op::kQLinearConv, qlinear_conv(), {{"activation", "Sigmoid"}}),
            "attribute activation: QLinearConv does not support 'Sigmoid'");
}

TEST(InferQuantizationTest, IntegerProductTakesZeroPointsOfRowsAndColumns) {
  EXPECT_EQ(infer(Op::kMatMulInteger, {uint8({4, 3}), int8({3, 2}), uint8({4}), int8({2})}).front(),
            (ValueType{DataType::kInt32, {4, 2}}));
  EXPECT_EQ(infer_shape(Op::kMatMulInteger, {uint8({4, 3}), int8({3, 2}), uint8({1})}),
            Shape({4, 2}));
  EXPECT_NE(infer_error(Op::kMatMulInteger, {uint8({4, 3}), int8({3, 2}), uint8({3})}), "no error");
}

TEST(InferQuantizationTest, QuantizedProductGivesTheZeroPointsType) {
  const std::vector<In> inputs = {uint8({5, 2, 3}), scale(),    uint8({}), uint8({3, 4}),
                                  scale({4}),       uint8({4}), scale(),   uint8({})};
  EXPECT_EQ(infer(Op::kQLinearMatMul, inputs).front(), (ValueType{DataType::kUint8, {5, 2, 4}}));
}

TEST(InferQuantizationTest, ConvertsToAndFromQuantizedValues) {
  EXPECT_EQ(infer_type(Op::kQuantizeLinear, {Shape{2, 3}, scale()}), DataType::kUint8);
  EXPECT_EQ(infer_type(Op::kQuantizeLinear, {Shape{2, 3}, scale(), int8({})}), DataType::kInt8);
  EXPECT_EQ(infer_type(Op::kDequantizeLinear, {int8({2, 3}), scale(), int8({})}),
            DataType::kFloat32);
  EXPECT_EQ(infer_shape(Op::kDequantizeLinear, {{DataType::kInt32, {7}}, scale()}), Shape({7}));
}

TEST(InferQuantizationTest, ScalesLieAlongTheAxis) {
  EXPECT_EQ(infer_shape(Op::kQuantizeLinear, {Shape{2, 3}, scale({3}), int8({3})}), Shape({2, 3}));
  EXPECT_EQ(infer_shape(Op::kQuantizeLinear, {Shape{2, 3}, scale({2})}, {{"axis", integer(-2)}}),
            Shape({2, 3}));
  EXPECT_EQ(infer_error(Op::kQuantizeLinear, {Shape{2, 3}, scale({2})}),
            "input 1 (y_scale): the shape is 2, not 3");
  EXPECT_EQ(infer_error(Op::kQuantizeLinear, {Shape{2, 3}, scale({3}), int8({})}),
            "input 2 (y_zero_point): the shape is scalar, not 3");
  EXPECT_NE(infer_error(Op::kQuantizeLinear, {Shape{2, 3}, scale({3})}, {{"axis", integer(2)}}),
            "no error");
}

TEST(InferQuantizationTest, DynamicQuantizationGivesScaleAndZeroPoint) {
  const auto types = infer(Op::kDynamicQuantizeLinear, {Shape{2, 3}}, {}, 3);
  EXPECT_EQ(types,
            (std::vector<ValueType>{
                {DataType::kUint8, {2, 3}}, {DataType::kFloat32, {}}, {DataType::kUint8, {}}}));
}

}  // namespace
}  // namespace weft::testing_support
