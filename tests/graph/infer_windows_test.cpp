// Pools and normalizations.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

Attributes pool(const Ints& kernel, const Ints& strides, const Ints& pads = {}) {
  Attributes attributes = {{"kernel_shape", kernel}, {"strides", strides}};
  if (!pads.empty()) attributes.set("pads", pads);
  return attributes;
}

TEST(InferPoolTest, TakesOneToThreeSpatialDimensions) {
  EXPECT_EQ(infer_shape(Op::kMaxPool, {Shape{1, 3, 32}}, pool({2}, {1})), Shape({1, 3, 31}));
  EXPECT_EQ(infer_shape(Op::kMaxPool, {Shape{1, 64, 112, 112}}, pool({3, 3}, {2, 2}, {1, 1, 1, 1})),
            Shape({1, 64, 56, 56}));
  EXPECT_EQ(infer_shape(Op::kAveragePool, {Shape{1, 3, 32, 32, 32}}, pool({2, 2, 2}, {1, 1, 1})),
            Shape({1, 3, 31, 31, 31}));
  EXPECT_EQ(infer_error(Op::kMaxPool, {Shape{1, 3, 32}}, pool({2, 2}, {1, 1})),
            "the kernel has 2 spatial dimensions, but the input has rank 3");
  EXPECT_EQ(infer_error(Op::kAveragePool, {Shape{1, 3, 32}}), "attribute kernel_shape is missing");
}

TEST(InferPoolTest, CeilModeAddsTheLastPartialWindow) {
  Attributes attributes = pool({3, 3}, {2, 2});
  attributes.set("ceil_mode", std::int64_t{1});
  EXPECT_EQ(infer_shape(Op::kMaxPool, {Shape{1, 1, 4, 5}}, attributes), Shape({1, 1, 2, 2}));
  EXPECT_EQ(infer_shape(Op::kAveragePool, {Shape{1, 1, 4, 7}}, attributes), Shape({1, 1, 2, 3}));
}

TEST(InferPoolTest, CeilModeAddsNoWindowThatStartsInThePadding) {
  Attributes attributes = pool({1, 1}, {2, 2});
  attributes.set("ceil_mode", std::int64_t{1});
  EXPECT_EQ(infer_shape(Op::kMaxPool, {Shape{1, 3, 32, 32}}, attributes), Shape({1, 3, 16, 16}));
  attributes = pool({3, 3}, {3, 3}, {1, 1, 1, 1});
  attributes.set("ceil_mode", std::int64_t{1});
  EXPECT_EQ(infer_shape(Op::kMaxPool, {Shape{1, 2, 5, 5}}, attributes), Shape({1, 2, 2, 2}));
}

TEST(InferPoolTest, MaxPoolGivesIndices) {
  const auto types = infer(Op::kMaxPool, {Shape{1, 1, 5, 5}}, pool({2, 2}, {2, 2}), 2);
  EXPECT_EQ(types[1], (ValueType{DataType::kInt64, {1, 1, 2, 2}}));
  EXPECT_EQ(infer_type(Op::kMaxPool, {{DataType::kUint8, {1, 1, 5}}}, pool({2}, {2})),
            DataType::kUint8);
}

TEST(InferPoolTest, RefusesWindowsOfPaddingAlone) {
  EXPECT_EQ(infer_error(Op::kMaxPool, {Shape{1, 1, 5}}, pool({2}, {1}, {0, 2})),
            "attribute pads: 0 and 2 must be below the kernel, 2");
  EXPECT_EQ(infer_error(Op::kMaxPool, {Shape{1, 1, 0}}, pool({2}, {1}, {1, 1})),
            "a window contains no elements");
  EXPECT_NE(infer_error(Op::kAveragePool, {Shape{1, 1, 5}},
                        {{"kernel_shape", Ints{2}}, {"dilations", Ints{2}}}),
            "no error");
}

TEST(InferPoolTest, GlobalPoolsLeaveOnePosition) {
  EXPECT_EQ(infer_shape(Op::kGlobalAveragePool, {Shape{2, 3, 5, 6}}), Shape({2, 3, 1, 1}));
  EXPECT_EQ(infer_shape(Op::kGlobalMaxPool, {Shape{2, 3, 5}}), Shape({2, 3, 1}));
  EXPECT_NE(infer_error(Op::kGlobalMaxPool, {Shape{2, 3}}), "no error");
}

TEST(InferNormalizationTest, BatchNormalizationHasOneNumberForEachChannel) {
  const In c = Shape{3};
  EXPECT_EQ(infer_shape(Op::kBatchNormalization, {Shape{2, 3, 4}, c, c, c, c}), Shape({2, 3, 4}));
  EXPECT_EQ(infer_error(Op::kBatchNormalization, {Shape{2, 3, 4}, c, c, c, Shape{4}}),
            "input 4 (input_var): the shape is 4, not 3");
  EXPECT_EQ(infer_error(Op::kBatchNormalization, {Shape{2, 3, 4}, c, c, c, c},
                        {{"training_mode", integer(1)}}, 3),
            "attribute training_mode: training is not supported");
  EXPECT_NE(infer_error(Op::kBatchNormalization, {Shape{2, 3, 4}, c, c, c, c}, {}, 3), "no error");
}

TEST(InferNormalizationTest, InstanceNormalizationNeedsSpatialDimensions) {
  EXPECT_EQ(infer_shape(Op::kInstanceNormalization, {Shape{2, 3, 4}, Shape{3}, Shape{3}}),
            Shape({2, 3, 4}));
  EXPECT_NE(infer_error(Op::kInstanceNormalization, {Shape{2, 3}, Shape{3}, Shape{3}}), "no error");
}

TEST(InferNormalizationTest, LayerNormalizationGivesStatistics) {
  const std::vector<In> inputs = {{DataType::kFloat16, {2, 3, 4}}, {DataType::kFloat16, {3, 4}}};
  const auto types = infer(Op::kLayerNormalization, inputs, {{"axis", integer(1)}}, 3);
  EXPECT_EQ(types[0], (ValueType{DataType::kFloat16, {2, 3, 4}}));
  EXPECT_EQ(types[1], (ValueType{DataType::kFloat32, {2, 1, 1}}));
  EXPECT_EQ(types[2], types[1]);
  EXPECT_EQ(infer_error(Op::kLayerNormalization, inputs),
            "input 1 (Scale): the shape is 3x4, not 4");
  EXPECT_NE(infer_error(Op::kLayerNormalization, inputs,
                        {{"axis", integer(1)}, {"stash_type", integer(16)}}),
            "no error");
}

TEST(InferNormalizationTest, LrnNeedsItsSize) {
  EXPECT_EQ(infer_shape(Op::kLrn, {Shape{1, 5, 2, 2}}, {{"size", integer(3)}}),
            Shape({1, 5, 2, 2}));
  EXPECT_EQ(infer_error(Op::kLrn, {Shape{1, 5, 2, 2}}), "attribute size is missing");
  EXPECT_NE(infer_error(Op::kLrn, {Shape{1, 5, 2, 2}}, {{"size", integer(0)}}), "no error");
}

}  // namespace
}  // namespace weft::testing_support
