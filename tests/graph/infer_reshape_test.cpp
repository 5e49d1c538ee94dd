// Operators that keep the elements and change the shape.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

TEST(InferReshapeTest, CopiesZerosAndInfersMinusOne) {
  const In x = Shape{2, 3, 4};
  EXPECT_EQ(infer_shape(Op::kReshape, {x, list({4, 6})}), Shape({4, 6}));
  EXPECT_EQ(infer_shape(Op::kReshape, {x, list({0, -1})}), Shape({2, 12}));
  EXPECT_EQ(infer_shape(Op::kReshape, {x, list({-1, 0, 2})}), Shape({4, 3, 2}));
  EXPECT_EQ(infer_shape(Op::kReshape, {Shape{1}, list({})}), Shape({}));
  EXPECT_EQ(infer_shape(Op::kReshape, {Shape{}, list({-1, 1})}), Shape({1, 1}));
}

TEST(InferReshapeTest, ZeroIsAnExtentWithAllowzero) {
  const Attributes allow = {{"allowzero", integer(1)}};
  EXPECT_EQ(infer_shape(Op::kReshape, {Shape{0, 3, 4}, list({3, 4, 0})}, allow), Shape({3, 4, 0}));
  EXPECT_EQ(infer_shape(Op::kReshape, {Shape{0, 3}, list({0, 7})}), Shape({0, 7}));
  EXPECT_EQ(infer_shape(Op::kReshape, {Shape{0, 3}, list({3, -1})}), Shape({3, 0}));
  EXPECT_EQ(infer_error(Op::kReshape, {Shape{0, 3}, list({0, -1})}, allow),
            "input 1 (shape): 0 and -1 cannot be combined with allowzero");
  EXPECT_NE(infer_error(Op::kReshape, {Shape{2, 3}, list({0, 6})}, allow), "no error");
}

TEST(InferReshapeTest, RefusesWhatDoesNotHold) {
  const In x = Shape{2, 3};
  EXPECT_EQ(infer_error(Op::kReshape, {x, list({4, 2})}),
            "6 elements of shape 2x3 cannot take the shape 4x2");
  EXPECT_EQ(infer_error(Op::kReshape, {x, list({-1, -1})}), "input 1 (shape): more than one -1");
  EXPECT_EQ(infer_error(Op::kReshape, {x, list({-1, 4})}),
            "cannot infer the -1 in the shape: 6 elements are not divisible by 4");
  EXPECT_EQ(infer_error(Op::kReshape, {x, list({3, 2, 0})}),
            "the 0 at position 2 copies an extent, but the rank is 2");
  EXPECT_EQ(infer_error(Op::kReshape, {x, list({-2, 3})}),
            "input 1 (shape): extent -2 is below -1");
  EXPECT_EQ(infer_error(Op::kReshape, {x, unknown_list(2)}),
            "input 1 (shape) must be known before the network runs; if it depends on inputs, "
            "give them with --input NAME=FILE");
  EXPECT_NE(infer_error(Op::kReshape, {Shape{0, 3}, list({0, -1})}), "no error");
  EXPECT_NE(infer_error(Op::kReshape, {x, list({std::int64_t{1} << 40, std::int64_t{1} << 40})}),
            "no error");
}

TEST(InferFlattenTest, MultipliesBothSidesOfTheAxis) {
  const In x = Shape{2, 3, 4, 5};
  const auto flatten = [&](std::int64_t axis) {
    return infer_shape(Op::kFlatten, {x}, {{"axis", axis}});
  };
  EXPECT_EQ(infer_shape(Op::kFlatten, {x}), Shape({2, 60}));
  EXPECT_EQ(flatten(0), Shape({1, 120}));
  EXPECT_EQ(flatten(4), Shape({120, 1}));
  EXPECT_EQ(flatten(-1), Shape({24, 5}));
  EXPECT_EQ(flatten(-4), Shape({1, 120}));
  EXPECT_EQ(infer_shape(Op::kFlatten, {Shape{}}, {{"axis", integer(0)}}), Shape({1, 1}));
  EXPECT_EQ(infer_error(Op::kFlatten, {x}, {{"axis", integer(5)}}), "axis 5 is outside [-4, 4]");
}

TEST(InferSqueezeTest, RemovesOnes) {
  const In x = Shape{1, 3, 1, 5};
  EXPECT_EQ(infer_shape(Op::kSqueeze, {x}), Shape({3, 5}));
  EXPECT_EQ(infer_shape(Op::kSqueeze, {x, list({0})}), Shape({3, 1, 5}));
  EXPECT_EQ(infer_shape(Op::kSqueeze, {x, list({-2, 0})}), Shape({3, 5}));
  EXPECT_EQ(infer_error(Op::kSqueeze, {x, list({1})}), "axis 1 has extent 3, not 1");
  EXPECT_NE(infer_error(Op::kSqueeze, {x, list({4})}), "no error");
  EXPECT_NE(infer_error(Op::kSqueeze, {x, unknown_list(1)}), "no error");
}

TEST(InferUnsqueezeTest, PutsOnesWhereTheResultHasThem) {
  const In x = Shape{3, 4};
  EXPECT_EQ(infer_shape(Op::kUnsqueeze, {x, list({0, 3})}), Shape({1, 3, 4, 1}));
  EXPECT_EQ(infer_shape(Op::kUnsqueeze, {x, list({2, 1, 4})}), Shape({3, 1, 1, 4, 1}));
  EXPECT_EQ(infer_shape(Op::kUnsqueeze, {x, list({-1})}), Shape({3, 4, 1}));
  EXPECT_EQ(infer_shape(Op::kUnsqueeze, {Shape{}, list({0})}), Shape({1}));
  EXPECT_EQ(infer_error(Op::kUnsqueeze, {x, list({0, -4})}), "axis -4 occurs twice");
  EXPECT_NE(infer_error(Op::kUnsqueeze, {x, list({3})}), "no error");
}

}  // namespace
}  // namespace weft::testing_support
