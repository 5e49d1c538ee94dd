// Which patterns fuse_qdq turns into integer operators; values stay the same.
#include <gtest/gtest.h>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/signature.h"
#include "compiler/passes/fusion/fuse_bias.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/quantization/fuse_qdq.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

using Integers = std::vector<std::int64_t>;

bool qlinear_matmul_has_bias() {
  return graph::signature_of(Op::kQLinearMatMul).max_inputs == 9;
}

class FuseQdqTest : public ::testing::Test {
 protected:
  ValueId scalar(float value) { return builder.constant(Tensor::scalar(value)); }
  ValueId zero_point(int value) {
    return builder.constant(Tensor::scalar(static_cast<std::int8_t>(value)));
  }
  ValueId floats(Shape shape) { return builder.constant(random_floats(random, std::move(shape))); }

  ValueId quantize(ValueId x, float scale, int zero) {
    return builder.add(Op::kQuantizeLinear, {x, scalar(scale), zero_point(zero)});
  }
  ValueId dequantize(ValueId q, float scale, int zero) {
    return builder.add(Op::kDequantizeLinear, {q, scalar(scale), zero_point(zero)});
  }
  ValueId int8_input(Shape shape, std::string name = "x") {
    return builder.input(std::move(name), {DataType::kInt8, std::move(shape)});
  }
  /// An int8 input of scale 0.05 and zero point -7, dequantized.
  ValueId real_input(Shape shape) { return dequantize(int8_input(std::move(shape)), 0.05F, -7); }

  /// Constant int8 weights with one scale per channel along `axis`.
  ValueId weights(Shape shape, std::int64_t axis) {
    const std::int64_t channels = shape[static_cast<std::size_t>(axis)];
    const ValueId q = builder.constant(random_int8(random, std::move(shape)));
    const ValueId scale = builder.constant(random_floats(random, {channels}, 0.001F, 0.01F));
    return builder.add(Op::kDequantizeLinear, {q, scale}, {{"axis", axis}});
  }
  ValueId conv(ValueId x, ValueId bias = kNone) {
    return builder.add(Op::kConv, {x, weights({4, 3, 3, 3}, 0), bias});
  }

  /// Integers differ by at most `steps`; they may differ if the value was nearly a tie.
  void expect_within(const Graph& before, const Graph& after, int steps) {
    for (int run_number = 0; run_number < 3; ++run_number) {
      const NamedTensors inputs = random_inputs(before, random);
      const Tensor expected = run(before, inputs);
      const Tensor found = run(after, inputs);
      ASSERT_EQ(expected.value_type(), found.value_type());
      for (std::size_t i = 0; i < expected.bytes().size(); ++i) {
        const int a = expected.data<std::int8_t>()[i];
        const int b = found.data<std::int8_t>()[i];
        EXPECT_LE(std::abs(a - b), steps) << "element " << i;
        clipped += a == -128 || a == 127 ? 1 : 0;
        inside += a != -128 && a != 127 ? 1 : 0;
      }
    }
  }

  Random random{21};
  Builder builder{"qdq"};
  int clipped = 0;
  int inside = 0;
};

TEST_F(FuseQdqTest, ConvolutionBecomesQLinearConv) {
  const ValueId product = conv(real_input({2, 3, 6, 6}), floats({4}));
  const Graph before = finish(builder, quantize(product, 0.07F, 5));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "QLinearConv");
  EXPECT_EQ(after.nodes[0].inputs.size(), 9U);
  expect_within(before, after, 1);
  EXPECT_GT(inside, 100);
}

TEST_F(FuseQdqTest, QuantizesTheBiasToTheScaleOfTheSums) {
  const ValueId q = builder.constant(Tensor::of<std::int8_t>({2, 1, 1, 1}, {1, 2}));
  const ValueId scale = builder.constant(Tensor::vector<float>({0.5F, 0.25F}));
  const ValueId w = builder.add(Op::kDequantizeLinear, {q, scale}, {{"axis", std::int64_t{0}}});
  const ValueId bias = builder.constant(Tensor::vector<float>({3.0F, -1.1F}));
  const ValueId x = dequantize(int8_input({1, 1, 2, 2}), 0.5F, 0);
  const Graph g =
      fuse_qdq(finish(builder, quantize(builder.add(Op::kConv, {x, w, bias}), 1.0F, 0)));
  ASSERT_EQ(ops(g), "QLinearConv");
  // 3 / (0.5 * 0.5) = 12 and -1.1 / (0.5 * 0.25) = -8.8.
  EXPECT_EQ(*g.values[g.nodes[0].inputs[8]].constant->ready(),
            (Tensor::vector<std::int32_t>({12, -9})));
}

TEST_F(FuseQdqTest, KeepsTheIntegersOfABiasOfTheRightScale) {
  const ValueId q = builder.constant(random_int8(random, {2, 1, 1, 1}));
  const ValueId w = dequantize(q, 0.3F, 0);
  const Tensor integers = Tensor::vector<std::int32_t>({2'000'000'123, -7});
  const ValueId bias =
      builder.add(Op::kDequantizeLinear, {builder.constant(integers), scalar(0.7F * 0.3F)});
  const ValueId x = dequantize(int8_input({1, 1, 2, 2}), 0.7F, 0);
  const Graph g =
      fuse_qdq(finish(builder, quantize(builder.add(Op::kConv, {x, w, bias}), 1.0F, 0)));
  ASSERT_EQ(ops(g), "QLinearConv");
  EXPECT_EQ(*g.values[g.nodes[0].inputs[8]].constant->ready(), integers);
}

TEST_F(FuseQdqTest, ActivationsGoWithTheConvolution) {
  const ValueId relu = builder.add(Op::kRelu, {conv(real_input({1, 3, 6, 6}))});
  const ValueId first = quantize(relu, 0.05F, -20);
  const ValueId second =
      builder.add(Op::kConv, {dequantize(first, 0.05F, -20), weights({3, 4, 1, 1}, 0)});
  const ValueId clip = builder.add(Op::kClip, {second, scalar(-0.5F), scalar(0.5F)});
  const Graph before = finish(builder, quantize(clip, 0.01F, 0));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "QLinearConv QLinearConv");
  EXPECT_EQ(after.nodes[0].attributes.text("activation", ""), "Relu");
  EXPECT_EQ(after.nodes[1].attributes.text("activation", ""), "Clip");
  EXPECT_EQ(after.nodes[1].attributes.real("activation_beta", 0), 0.5F);
  expect_within(before, after, 2);  // a step of the first is up to 127 * 0.01 * 0.05 in the second
}

TEST_F(FuseQdqTest, IntegersAreGatheredInsteadOfRealNumbers) {
  const Tensor places = Tensor::of<std::int64_t>({3, 6}, Integers{1, 0, -1, 1, 1, 0, 0, 0, 1,  //
                                                                  0, 1, -2, 1, 1, 1, 0, 0, 0});
  const ValueId picked =
      builder.add(Op::kGatherElements, {real_input({2, 6}), builder.constant(places)});
  const ValueId product = builder.add(Op::kMatMul, {picked, weights({6, 7}, 1)});
  const Graph before = finish(builder, quantize(product, 0.05F, 3));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "GatherElements QLinearMatMul");
  EXPECT_EQ(after.type(after.nodes[0].outputs[0]).type, DataType::kInt8);
  expect_within(before, after, 1);
}

TEST_F(FuseQdqTest, MatMulAndGemmBecomeQLinearMatMul) {
  const ValueId x = real_input({5, 6});
  const ValueId product = builder.add(Op::kMatMul, {x, weights({6, 7}, 1)});
  const ValueId q = quantize(product, 0.05F, 3);
  const ValueId gemm = builder.add(Op::kGemm, {dequantize(q, 0.05F, 3), weights({4, 7}, 0)},
                                   {{"transB", std::int64_t{1}}});
  const Graph before = finish(builder, quantize(gemm, 0.02F, 1));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "QLinearMatMul QLinearMatMul");
  EXPECT_EQ(after.type(after.nodes[1].inputs[3]).shape, (Shape{7, 4}));
  EXPECT_TRUE(after.nodes[1].attributes.entries().empty());
  expect_within(before, after, 2);
}

TEST_F(FuseQdqTest, MatMulOfTwoActivationsBecomesQLinearMatMul) {
  const ValueId a = real_input({2, 5, 6});
  const ValueId b = dequantize(int8_input({2, 6, 4}, "b"), 0.02F, 9);
  const Graph before = finish(builder, quantize(builder.add(Op::kMatMul, {a, b}), 0.3F, 1));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "QLinearMatMul");
  expect_within(before, after, 1);
}

TEST_F(FuseQdqTest, BiasIsTheNinthInputOfQLinearMatMul) {
  if (!qlinear_matmul_has_bias()) GTEST_SKIP() << "the operator table has no such input";
  const ValueId gemm =
      builder.add(Op::kGemm, {real_input({5, 6}), weights({6, 7}, 1), floats({1, 7})});
  const ValueId q = quantize(gemm, 0.05F, 3);
  const ValueId matmul = builder.add(Op::kMatMul, {dequantize(q, 0.05F, 3), weights({7, 4}, 1)});
  const ValueId sum = builder.add(Op::kAdd, {matmul, floats({4})});
  const Graph before = finish(builder, quantize(sum, 0.02F, 1));
  const Graph after = fuse_qdq(fuse_bias(before));
  ASSERT_EQ(ops(after), "QLinearMatMul QLinearMatMul");
  EXPECT_EQ(after.type(after.nodes[0].inputs.at(8)), (ValueType{DataType::kInt32, {7}}));
  EXPECT_EQ(after.type(after.nodes[1].inputs.at(8)), (ValueType{DataType::kInt32, {4}}));
  expect_within(before, after, 2);
}

TEST_F(FuseQdqTest, TransposedWeightsAreTransposedAtCompileTime) {
  const ValueId w = builder.add(Op::kTranspose, {weights({7, 6}, 0)}, {{"perm", Integers{1, 0}}});
  const ValueId product = builder.add(Op::kMatMul, {real_input({5, 6}), w});
  const Graph before = finish(builder, quantize(product, 0.05F, 3));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "QLinearMatMul");
  expect_within(before, after, 1);
}

TEST_F(FuseQdqTest, OtherContractionsStay) {
  const ValueId x = real_input({5, 6});
  const auto gemm = [&](Attributes attributes, ValueId w, ValueId bias) {
    return builder.add(Op::kGemm, {x, w, bias}, std::move(attributes));
  };
  const ValueId scaled = gemm({{"alpha", 0.5F}}, weights({6, 7}, 1), kNone);
  const ValueId by_rows = gemm({}, weights({6, 7}, 0), kNone);
  const ValueId rows = gemm({}, weights({6, 7}, 1), floats({5, 1}));
  const ValueId not_quantized = gemm({}, floats({6, 7}), kNone);
  for (const ValueId each : {scaled, by_rows, rows, not_quantized}) {
    builder.output(quantize(each, 0.1F, 0), std::string("y").append(std::to_string(each)));
  }
  EXPECT_EQ(count(fuse_qdq(builder.finish()), Op::kGemm), 4U);
}

TEST_F(FuseQdqTest, AProductThatIsUsedTwiceStays) {
  const ValueId product = conv(real_input({1, 3, 6, 6}));
  builder.output(product, "real");
  const Graph g = fuse_qdq(finish(builder, quantize(product, 0.07F, 5)));
  EXPECT_EQ(ops(g), "DequantizeLinear DequantizeLinear Conv QuantizeLinear");
}

TEST_F(FuseQdqTest, ABiasThatInt32DoesNotHoldStays) {
  const ValueId bias = builder.constant(Tensor::vector<float>({1, 1, 1, 1e9F}));
  const Graph g =
      fuse_qdq(finish(builder, quantize(conv(real_input({1, 3, 6, 6}), bias), 0.07F, 5)));
  EXPECT_EQ(count(g, Op::kConv), 1U);
}

TEST_F(FuseQdqTest, MovementsWorkOnIntegers) {
  ValueId x = real_input({1, 4, 6, 6});
  x = builder.add(Op::kMaxPool, {x},
                  {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}});
  x = builder.add(Op::kTranspose, {x}, {{"perm", Integers{0, 2, 3, 1}}});
  x = builder.add(Op::kConcat, {x, x}, {{"axis", std::int64_t{1}}});
  const ValueId pads = builder.constant(Tensor::vector<std::int64_t>({0, 1, 0, 0, 0, 0, 2, 0}));
  x = builder.add(Op::kPad, {x, pads});
  x = builder.add(Op::kFlatten, {x});
  const Graph before = finish(builder, quantize(x, 0.05F, -7));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "MaxPool Transpose Concat Pad Flatten");
  expect_same_bits(before, after, random);
}

TEST_F(FuseQdqTest, ConcatOfDifferentScalesStays) {
  const ValueId a = real_input({1, 4});
  const ValueId b = dequantize(int8_input({1, 4}, "b"), 0.06F, -7);
  const ValueId both = builder.add(Op::kConcat, {a, b}, {{"axis", std::int64_t{1}}});
  const Graph before = finish(builder, quantize(both, 0.05F, -7));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), ops(before));
  expect_same_bits(before, after, random);
}

TEST_F(FuseQdqTest, OtherParametersRequantize) {
  const ValueId x = builder.add(Op::kRelu, {real_input({1, 40})});
  const Graph before = finish(builder, quantize(x, 0.06F, -7));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "Max DequantizeLinear QuantizeLinear");
  expect_same_bits(before, after, random);
}

TEST_F(FuseQdqTest, AnotherZeroPointOrTypeRequantizes) {
  const ValueId x = real_input({1, 40});
  const ValueId unsigned_zero = builder.constant(Tensor::scalar(std::uint8_t{249}));
  builder.output(quantize(x, 0.05F, -6), "shifted");
  builder.output(builder.add(Op::kQuantizeLinear, {x, scalar(0.05F), unsigned_zero}), "unsigned");
  EXPECT_EQ(count(fuse_qdq(builder.finish()), Op::kQuantizeLinear), 2U);
}

TEST_F(FuseQdqTest, EveryIntegerSurvivesItsRoundTrip) {
  // Rule 4 drops Quantize(Dequantize(q)). Here both run, for scales from the smallest allowed on.
  for (const float scale : {0x1p-126F, 1.17e-37F, 0.0039215689F, 0.1F, 3.0F, 1e30F, 0x1p118F}) {
    Builder round_trip("net");
    const ValueId q = round_trip.input("x", {DataType::kInt8, {256}});
    const ValueId s = round_trip.constant(Tensor::scalar(scale));
    const ValueId z = round_trip.constant(Tensor::scalar(std::int8_t{-7}));
    const ValueId real = round_trip.add(Op::kDequantizeLinear, {q, s, z});
    const Graph g = finish(round_trip, round_trip.add(Op::kQuantizeLinear, {real, s, z}));
    Tensor all(DataType::kInt8, {256});
    for (int i = 0; i < 256; ++i) {
      all.mutable_data<std::int8_t>()[static_cast<std::size_t>(i)] =
          static_cast<std::int8_t>(i - 128);
    }
    EXPECT_EQ(run(g, {{"x", all}}), all) << scale;
    EXPECT_EQ(ops(fuse_qdq(g)), "") << scale;
  }
}

TEST_F(FuseQdqTest, SubnormalScalesAreLeftAlone) {
  const ValueId x = dequantize(int8_input({4}), 1e-40F, 0);
  EXPECT_EQ(ops(fuse_qdq(finish(builder, quantize(x, 1e-40F, 0)))),
            "DequantizeLinear QuantizeLinear");
}

TEST_F(FuseQdqTest, ReluOfIntegersIsAMaximum) {
  const ValueId x = builder.add(Op::kRelu, {real_input({1, 40})});
  const Graph before = finish(builder, quantize(x, 0.05F, -7));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "Max");
  expect_same_bits(before, after, random);
}

TEST_F(FuseQdqTest, ReluAboveTheSmallestIntegerIsNothing) {
  const ValueId x = builder.add(Op::kRelu, {dequantize(int8_input({1, 40}), 0.05F, -128)});
  const Graph before = finish(builder, quantize(x, 0.05F, -128));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "");
  expect_same_bits(before, after, random);
}

TEST_F(FuseQdqTest, ReluAfterTheRoundingJoinsTheConvolution) {
  const ValueId q = quantize(conv(real_input({1, 3, 6, 6})), 0.05F, -20);
  const ValueId relu = builder.add(Op::kRelu, {dequantize(q, 0.05F, -20)});
  const Graph before = finish(builder, quantize(relu, 0.05F, -20));
  const Graph after = fuse_qdq(before);
  ASSERT_EQ(ops(after), "QLinearConv");
  EXPECT_EQ(after.nodes[0].attributes.text("activation", ""), "Relu");
  expect_within(before, after, 1);
}

TEST_F(FuseQdqTest, ReluOfAValueThatIsUsedTwiceLeavesTheConvolutionAlone) {
  const ValueId q = quantize(conv(real_input({1, 3, 6, 6})), 0.05F, -20);
  const ValueId real = dequantize(q, 0.05F, -20);
  builder.output(real, "before");
  const Graph before = finish(builder, builder.add(Op::kRelu, {real}));
  const Graph after = fuse_qdq(before);
  EXPECT_FALSE(find(after, Op::kQLinearConv).attributes.has("activation"));
  EXPECT_EQ(count(after, Op::kMax), 1U);
}

TEST_F(FuseQdqTest, WeightsThatAreMadeOnDemandStaySo) {
  int made = 0;
  const ValueId q = builder.constant(lazy(random_int8(random, {6, 6}), &made));
  const ValueId turned =
      builder.add(Op::kTranspose, {dequantize(q, 0.01F, 0)}, {{"perm", Integers{1, 0}}});
  const ValueId product = builder.add(Op::kMatMul, {real_input({5, 6}), turned});
  const Graph before = finish(builder, quantize(product, 0.05F, 3));
  const Graph after = fuse_qdq(before);
  EXPECT_EQ(ops(after), "QLinearMatMul");
  EXPECT_EQ(made, 0);
  expect_within(before, after, 1);
}

TEST_F(FuseQdqTest, WhatStaysInFloatingPointHasConstantWeights) {
  const ValueId product = conv(real_input({1, 3, 6, 6}));
  const Graph before = finish(builder, builder.add(Op::kSigmoid, {product}));
  const Graph after = optimize(before, reference::evaluate);
  EXPECT_EQ(ops(after), "DequantizeLinear Conv");
  expect_same_bits(before, after, random);
}

}  // namespace
}  // namespace weft::passes::testing
