// The table must be complete, and its counts and names must be enforced.
#include "compiler/graph/operator_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "compiler/graph/op_array.h"
#include "compiler/graph/shapes/signature.h"
#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

TEST(OperatorTableTest, HasOneEntryForEachOperatorInOrder) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const graph::Signature& entry = graph::signature_of(op);
    EXPECT_NE(entry.infer, nullptr);
    EXPECT_LE(entry.min_inputs, entry.max_inputs);
    EXPECT_GE(entry.max_outputs, 1U);
    EXPECT_EQ(graph::op_from_string(graph::to_string(op)), op);
  }
}

TEST(OperatorTableTest, EveryInputHasANameAndATypeOrAnEarlierInputsType) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const graph::Signature& entry = graph::signature_of(static_cast<Op>(i));
    if (entry.max_inputs != graph::kAnyNumber) {
      EXPECT_GE(entry.inputs.size(), entry.max_inputs) << graph::to_string(static_cast<Op>(i));
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
    const auto& names = graph::signature_of(static_cast<Op>(i)).attributes;
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  }
}

bool names(const graph::Signature& row, std::string_view attribute) {
  return std::ranges::find(row.attributes, attribute) != row.attributes.end();
}

TEST(OperatorTableTest, TraitsAgreeWithSignatures) {
  using enum graph::Trait;
  using Form = graph::Product::Form;
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    SCOPED_TRACE(graph::to_string(op));
    const graph::Operator& row = graph::operator_of(op);
    const graph::Signature& signature = graph::signature_of(op);
    const auto implies = [&](graph::Trait one, graph::Trait other) {
      return !graph::has(op, one) || graph::has(op, other);
    };
    EXPECT_EQ(has(op, kEpilogue), names(signature, "activation"));
    EXPECT_EQ(has(op, kRecurrent), names(signature, "activations"));
    EXPECT_EQ(has(op, kContraction) || has(op, kRecurrent), row.product.form != Form::kNone);
    EXPECT_EQ(has(op, kRecurrent), row.product.form == Form::kRecurrent);
    for (const graph::Trait part : {kActivation, kClamps, kPartial}) {
      EXPECT_TRUE(implies(part, kFunction));
    }
    EXPECT_TRUE(implies(kCommutes, kBinary));
    EXPECT_TRUE(implies(kNeedsExactSecond, kBinary));
    EXPECT_TRUE(implies(kEpilogue, kContraction));
    EXPECT_TRUE(implies(kSumsAlongAxes, kAlongAxes));
    EXPECT_TRUE(implies(kSoftmaxLike, kSumsAlongAxes));
    EXPECT_TRUE(implies(kAverages, kWindows));
    EXPECT_TRUE(!has(op, kFunction) || signature.min_inputs == 1);
    EXPECT_TRUE(!has(op, kBinary) || signature.max_inputs >= 2);
  }
}

TEST(OperatorTableTest, ParametersAreAllAttributesOfAFunction) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const graph::Operator& row = graph::operator_of(op);
    if (!has(op, graph::Trait::kFunction)) {
      EXPECT_TRUE(row.parameters.empty()) << graph::to_string(op);
      continue;
    }
    const graph::AttributeNames& attributes = graph::signature_of(op).attributes;
    ASSERT_EQ(row.parameters.size(), attributes.size()) << graph::to_string(op);
    for (std::size_t k = 0; k < row.parameters.size(); ++k) {
      EXPECT_EQ(row.parameters[k].attribute, attributes[k]);
    }
  }
}

TEST(OperatorTableTest, LearnedInputsAndOperandsExist) {
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const graph::Operator& row = graph::operator_of(op);
    const graph::Signature& signature = graph::signature_of(op);
    for (const std::size_t input : row.learned.inputs) EXPECT_LT(input, signature.max_inputs);
    if (row.product.form == graph::Product::Form::kNone) continue;
    EXPECT_LT(row.product.a, signature.min_inputs);
    EXPECT_LT(row.product.b, signature.min_inputs);
  }
}

// The operators that ONNX's specification gives parameters, with its defaults.
TEST(OperatorTableTest, ParametersHaveTheDefaultsOfOnnx) {
  const auto defaults = [](Op op) { return graph::parameters_of(op, {}); };
  using Two = std::array<float, 2>;
  EXPECT_EQ(defaults(Op::kLeakyRelu), (Two{0.01F, 0}));
  EXPECT_EQ(defaults(Op::kElu), (Two{1, 0}));
  EXPECT_EQ(defaults(Op::kSelu), (Two{1.67326319217681884765625F, 1.05070102214813232421875F}));
  EXPECT_EQ(defaults(Op::kHardSigmoid), (Two{0.2F, 0.5F}));
  EXPECT_EQ(graph::parameters_of(Op::kSelu, {{"gamma", 3.0F}})[1], 3.0F);
}

using Number = graph::OpEntry<int>;

std::vector<Number> numbers() {
  std::vector<Number> entries;
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    entries.push_back({static_cast<Op>(i), static_cast<int>(i)});
  }
  return entries;
}

std::string array_error(const std::vector<Number>& entries) {
  try {
    const graph::OpArray<int> array("test", {entries});
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(OpArrayTest, HoldsAnEntryForEachOperator) {
  std::vector<Number> entries = numbers();
  entries[3] = Number::none(static_cast<Op>(3), "a reason");
  const graph::OpArray<int> array("test", {entries});
  EXPECT_EQ(array[Op::kConv].function, 0);
  EXPECT_EQ(array[Op::kRnn].function, static_cast<int>(graph::kOpCount) - 1);
  EXPECT_EQ(array[static_cast<Op>(3)].reason, "a reason");
}

TEST(OpArrayTest, MayHoldTheOperatorsOfOneTrait) {
  const std::array<Number, 3> entries = {
      {{Op::kLstm, 1}, {Op::kGru, 2}, Number::none(Op::kRnn, "a reason")}};
  const graph::OpArray<int> array("test", {entries}, graph::Trait::kRecurrent);
  EXPECT_EQ(array.find(Op::kGru), 2);
  EXPECT_EQ(array.find(Op::kRnn), std::nullopt);
  EXPECT_EQ(array.find(Op::kAdd), std::nullopt);
  const std::array<Number, 1> other = {{{Op::kAdd, 3}}};
  EXPECT_THROW(graph::OpArray<int>("test", {entries, other}, graph::Trait::kRecurrent),
               std::logic_error);
  EXPECT_THROW(graph::OpArray<int>("test", {{entries.data(), 2}}, graph::Trait::kRecurrent),
               std::logic_error);
}

TEST(OpArrayTest, RefusesMissingDoubleAndUnexplainedEntries) {
  std::vector<Number> entries = numbers();
  entries.erase(entries.begin());
  EXPECT_EQ(array_error(entries), "test: Conv has no entry");
  entries = numbers();
  entries.push_back({Op::kLstm, 1});
  EXPECT_EQ(array_error(entries), "test: LSTM has two entries");
  entries = numbers();
  entries[0].function.reset();
  EXPECT_EQ(array_error(entries), "test: Conv has neither a function nor a reason, or both");
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
