// The table must be complete, and its counts and names must be enforced.
#include "compiler/graph/operator_table.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

TEST(OperatorTableTest, HasOneEntryForEachOperatorInOrder) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const graph::Operator& entry = graph::operator_of(op);
    EXPECT_EQ(entry.op, op) << graph::to_string(op);
    EXPECT_NE(entry.infer, nullptr);
    EXPECT_LE(entry.min_inputs, entry.max_inputs);
    EXPECT_GE(entry.max_outputs, 1U);
    EXPECT_EQ(graph::op_from_string(graph::to_string(op)), op);
  }
}

TEST(OperatorTableTest, EveryInputHasANameAndATypeOrAnEarlierInputsType) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const graph::Operator& entry = graph::operator_of(static_cast<Op>(i));
    if (entry.max_inputs != graph::kAnyNumber) {
      EXPECT_GE(entry.inputs.size(), entry.max_inputs) << graph::to_string(entry.op);
    }
    for (std::size_t k = 0; k < entry.inputs.size(); ++k) {
      const graph::InputRule& rule = entry.inputs[k];
      EXPECT_FALSE(rule.name.empty());
      if (rule.like == graph::InputRule::kOwnType) {
        EXPECT_NE(rule.types, 0U);
      } else {
        ASSERT_LT(rule.like, k);
        EXPECT_LT(rule.like, entry.min_inputs);
      }
    }
  }
}

TEST(OperatorTableTest, AttributesStandOnce) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto& names = graph::operator_of(static_cast<Op>(i)).attributes;
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  }
}

TEST(OperatorTableTest, RefusesWrongNumbers) {
  const In x = Shape{2};
  EXPECT_EQ(infer_error(Op::kAdd, {x}), "1 inputs, not 2");
  EXPECT_EQ(infer_error(Op::kClip, {x, x, x, x}), "4 inputs, not 1 to 3");
  EXPECT_EQ(infer_error(Op::kAdd, {x, x}, {}, 2), "2 outputs, not 1");
  EXPECT_EQ(infer_error(Op::kAdd, {x, x}, {}, 0), "0 outputs, not 1");
}

TEST(OperatorTableTest, MessagesAreOneLine) {
  EXPECT_EQ(infer_error(Op::kRelu, {Shape{2}}, {{"a\nb", integer(1)}}),
            "attribute a?b: the operator has no such attribute");
  EXPECT_EQ(infer_error(Op::kConv, {Shape{1, 1, 3}, Shape{1, 1, 1}}, {{"activation", "\n"}}),
            "attribute activation: Conv does not support '?'");
}

TEST(OperatorTableTest, RefusesAttributesOfAnotherKind) {
  EXPECT_EQ(infer_error(Op::kElu, {Shape{2}}, {{"alpha", integer(1)}}),
            "attribute alpha: must be a number");
  EXPECT_EQ(infer_error(Op::kSoftmax, {Shape{2}}, {{"axis", 1.0F}}),
            "attribute axis: must be an integer");
  EXPECT_EQ(infer_error(Op::kTranspose, {Shape{2}}, {{"perm", integer(0)}}),
            "attribute perm: must be a list of integers");
  EXPECT_EQ(
      infer_error(Op::kBatchNormalization, std::vector<In>(5, Shape{2, 2}), {{"epsilon", "small"}}),
      "attribute epsilon: must be a number");
}

}  // namespace
}  // namespace weft::testing_support
