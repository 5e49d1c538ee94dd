// Element-wise operators, Softmax and reductions.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

In bools(Shape shape) {
  return {DataType::kBool, std::move(shape)};
}

TEST(InferElementwiseTest, UnaryOperatorsKeepTypeAndShape) {
  for (const Op op : {Op::kRelu, Op::kSigmoid, Op::kTanh, Op::kErf, Op::kSqrt, Op::kIdentity}) {
    EXPECT_EQ(infer(op, {{DataType::kFloat16, {2, 0}}}).front(),
              (ValueType{DataType::kFloat16, {2, 0}}));
  }
  EXPECT_EQ(infer_type(Op::kNot, {bools({3})}), DataType::kBool);
  EXPECT_EQ(infer_error(Op::kSigmoid, {{DataType::kInt32, {2}}}),
            "input 0 (X): type int32 is not one of float16, float32, float64");
  EXPECT_NE(infer_error(Op::kNot, {Shape{2}}), "no error");
}

TEST(InferElementwiseTest, BroadcastsAsNumPyDoes) {
  EXPECT_EQ(infer_shape(Op::kAdd, {Shape{2, 1, 4}, Shape{3, 1}}), Shape({2, 3, 4}));
  EXPECT_EQ(infer_shape(Op::kMul, {Shape{}, Shape{5}}), Shape({5}));
  EXPECT_EQ(infer_shape(Op::kSub, {Shape{0, 3}, Shape{1, 1}}), Shape({0, 3}));
  EXPECT_EQ(infer_shape(Op::kSub, {Shape{1}, Shape{0}}), Shape({0}));
  EXPECT_EQ(infer_error(Op::kDiv, {Shape{2, 3}, Shape{2}}), "shapes 2x3 and 2 do not broadcast");
  EXPECT_EQ(infer_error(Op::kDiv, {Shape{2}, Shape{0}}), "shapes 2 and 0 do not broadcast");
}

TEST(InferElementwiseTest, AnyNumberOfInputs) {
  EXPECT_EQ(infer_shape(Op::kSum, {Shape{3}}), Shape({3}));
  EXPECT_EQ(infer_shape(Op::kMax, {Shape{3}, Shape{2, 1}, Shape{4, 1, 1}}), Shape({4, 2, 3}));
  EXPECT_EQ(infer_error(Op::kMean, {Shape{3}, std::nullopt}), "input 1 (data_i) is missing");
  EXPECT_EQ(infer_error(Op::kMean, {}), "0 inputs, not 1 or more");
  EXPECT_NE(infer_error(Op::kMax, {Shape{3}, {DataType::kInt32, {3}}}), "no error");
}

TEST(InferElementwiseTest, ComparisonsGiveBool) {
  EXPECT_EQ(infer(Op::kLess, {Shape{2, 1}, Shape{3}}).front(),
            (ValueType{DataType::kBool, {2, 3}}));
  EXPECT_EQ(infer_type(Op::kEqual, {bools({2}), bools({2})}), DataType::kBool);
  EXPECT_EQ(infer_type(Op::kAnd, {bools({2}), bools({2})}), DataType::kBool);
  EXPECT_NE(infer_error(Op::kOr, {Shape{2}, Shape{2}}), "no error");
  EXPECT_NE(infer_error(Op::kLess, {bools({2}), bools({2})}), "no error");
}

TEST(InferElementwiseTest, PowTakesTheBasesType) {
  EXPECT_EQ(infer_type(Op::kPow, {Shape{2}, {DataType::kInt64, {}}}), DataType::kFloat32);
  EXPECT_EQ(infer_type(Op::kPow, {{DataType::kInt32, {2}}, Shape{}}), DataType::kInt32);
}

TEST(InferElementwiseTest, WhereTakesTheBranchesType) {
  EXPECT_EQ(
      infer(Op::kWhere, {bools({2, 1}), {DataType::kInt64, {3}}, {DataType::kInt64, {}}}).front(),
      (ValueType{DataType::kInt64, {2, 3}}));
  EXPECT_EQ(infer_error(Op::kWhere, {Shape{2}, Shape{2}, Shape{2}}),
            "input 0 (condition): type float32 is not one of bool");
  EXPECT_EQ(infer_error(Op::kWhere, {bools({2}), Shape{2}, {DataType::kInt64, {2}}}),
            "input 2 (Y): int64, but input 1 (X) is float32");
}

TEST(InferElementwiseTest, PReluSlopeBroadcastsToTheInput) {
  EXPECT_EQ(infer_shape(Op::kPRelu, {Shape{2, 3, 4}, Shape{3, 1}}), Shape({2, 3, 4}));
  EXPECT_NE(infer_error(Op::kPRelu, {Shape{3, 1}, Shape{2, 3, 4}}), "no error");
}

TEST(InferElementwiseTest, ClipBoundsAreScalarsAndMayBeLeftOut) {
  EXPECT_EQ(infer_shape(Op::kClip, {Shape{2}, std::nullopt, Shape{}}), Shape({2}));
  EXPECT_EQ(infer_error(Op::kClip, {Shape{2}, Shape{2}}),
            "input 1 (min): the shape is 2, not scalar");
}

TEST(InferElementwiseTest, CastReadsTheNumberOfTheType) {
  const auto cast = [](std::int64_t to) { return infer_type(Op::kCast, {Shape{2}}, {{"to", to}}); };
  EXPECT_EQ(cast(1), DataType::kFloat32);
  EXPECT_EQ(cast(2), DataType::kUint8);
  EXPECT_EQ(cast(3), DataType::kInt8);
  EXPECT_EQ(cast(6), DataType::kInt32);
  EXPECT_EQ(cast(7), DataType::kInt64);
  EXPECT_EQ(cast(9), DataType::kBool);
  EXPECT_EQ(cast(10), DataType::kFloat16);
  EXPECT_EQ(cast(11), DataType::kFloat64);
  EXPECT_EQ(infer_error(Op::kCast, {Shape{2}}, {{"to", integer(8)}}),
            "attribute to: element type 8 is not supported");
  EXPECT_EQ(infer_error(Op::kCast, {Shape{2}}), "attribute to is missing");
}

TEST(InferElementwiseTest, DropoutGivesAMaskButDoesNotTrain) {
  const auto types = infer(Op::kDropout, {Shape{2, 3}}, {}, 2);
  EXPECT_EQ(types[1], (ValueType{DataType::kBool, {2, 3}}));
  const In no = Tensor::scalar(false);
  EXPECT_EQ(infer_shape(Op::kDropout, {Shape{2}, std::nullopt, no}), Shape({2}));
  EXPECT_EQ(infer_error(Op::kDropout, {Shape{2}, Shape{}, Tensor::scalar(true)}),
            "input 2 (training_mode): training is not supported");
  EXPECT_EQ(
      infer_error(Op::kDropout, {Shape{2}, Shape{}, bools({})}),
      "input 2 (training_mode) must be known before the network runs; if it depends on inputs, "
      "give them with --input NAME=FILE");
}

TEST(InferAlongAxisTest, SoftmaxChecksTheAxis) {
  EXPECT_EQ(infer_shape(Op::kSoftmax, {Shape{2, 3}}, {{"axis", integer(-2)}}), Shape({2, 3}));
  EXPECT_EQ(infer_error(Op::kLogSoftmax, {Shape{2, 3}}, {{"axis", integer(2)}}),
            "axis 2 is outside [-2, 2), as the rank is 2");
  EXPECT_NE(infer_error(Op::kSoftmax, {Shape{}}), "no error");
}

TEST(InferAlongAxisTest, ReductionsRemoveAxesOrLeaveOne) {
  const In x = Shape{2, 3, 4};
  EXPECT_EQ(infer_shape(Op::kReduceMean, {x}), Shape({1, 1, 1}));
  EXPECT_EQ(infer_shape(Op::kReduceMax, {x}, {{"keepdims", integer(0)}}), Shape({}));
  EXPECT_EQ(infer_shape(Op::kReduceMin, {x}, {{"axes", Ints{-1, 0}}}), Shape({1, 3, 1}));
  EXPECT_EQ(infer_shape(Op::kReduceMin, {x}, {{"axes", Ints{-1, 0}}, {"keepdims", integer(0)}}),
            Shape({3}));
  EXPECT_EQ(infer_error(Op::kReduceMean, {x}, {{"axes", Ints{2, -1}}}), "axis -1 occurs twice");
  EXPECT_NE(infer_error(Op::kReduceMean, {x}, {{"axes", Ints{3}}}), "no error");
}

TEST(InferAlongAxisTest, ReduceSumReadsItsAxesFromAnInput) {
  const In x = Shape{2, 3, 4};
  const Attributes noop = {{"noop_with_empty_axes", integer(1)}};
  EXPECT_EQ(infer_shape(Op::kReduceSum, {x}), Shape({1, 1, 1}));
  EXPECT_EQ(infer_shape(Op::kReduceSum, {x}, noop), Shape({2, 3, 4}));
  EXPECT_EQ(infer_shape(Op::kReduceSum, {x, list({})}, noop), Shape({2, 3, 4}));
  EXPECT_EQ(infer_shape(Op::kReduceSum, {x, list({1})}, {{"keepdims", integer(0)}}), Shape({2, 4}));
  EXPECT_EQ(infer_error(Op::kReduceSum, {x, unknown_list(1)}),
            "input 1 (axes) must be known before the network runs; if it depends on inputs, "
            "give them with --input NAME=FILE");
  EXPECT_NE(infer_error(Op::kReduceSum, {x}, {{"axes", Ints{0}}}), "no error");
}

TEST(InferTruthsTest, NaNsAndInfinitiesGiveTruthValues) {
  EXPECT_EQ(infer(Op::kIsNan, {Shape{2}}).front(), (ValueType{DataType::kBool, {2}}));
  EXPECT_EQ(infer(Op::kIsInf, {Shape{2}}, {{"detect_negative", integer(0)}}).front(),
            (ValueType{DataType::kBool, {2}}));
  EXPECT_NE(infer_error(Op::kIsNan, {{DataType::kInt32, {2}}}), "no error");
}

TEST(InferModTest, FloatsNeedFmod) {
  EXPECT_EQ(infer_shape(Op::kMod, {Shape{2, 1}, Shape{3}}, {{"fmod", integer(1)}}), Shape({2, 3}));
  EXPECT_EQ(infer_error(Op::kMod, {Shape{2, 1}, Shape{3}}),
            "attribute fmod: must be 1 for floating-point numbers");
  EXPECT_EQ(infer_type(Op::kMod, {{DataType::kUint8, {2}}, {DataType::kUint8, {}}}),
            DataType::kUint8);
}

TEST(InferAlongAxisTest, ArgMaxGivesInt64) {
  EXPECT_EQ(infer(Op::kArgMax, {Shape{2, 3}}).front(), (ValueType{DataType::kInt64, {1, 3}}));
  EXPECT_EQ(
      infer_shape(Op::kArgMax, {Shape{2, 3}}, {{"axis", integer(-1)}, {"keepdims", integer(0)}}),
      Shape({2}));
  EXPECT_NE(infer_error(Op::kArgMax, {Shape{0, 3}}), "no error");
}

}  // namespace
}  // namespace weft::testing_support
