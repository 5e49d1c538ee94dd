// calibrate, quantization parameters and quantize: which values become int8, and how far they move.
#include "compiler/passes/quantization/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/signature.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/quantization/calibrate.h"
#include "compiler/passes/quantization/quantization_plan.h"
#include "compiler/passes/quantization/quantize_weights.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

using Integers = std::vector<std::int64_t>;

reference::NamedTensors run_reference(const Graph& graph, const NamedTensors& inputs) {
  return reference::run_graph(graph, inputs);
}

CalibrationRanges ranges_of(const Graph& graph, Random& random, int samples = 8) {
  std::vector<NamedTensors> all;
  for (int i = 0; i < samples; ++i) all.push_back(random_inputs(graph, random));
  return calibrate(graph, all, run_reference);
}

TEST(RangeObserverTest, HoldsEverythingSeenAndZero) {
  RangeObserver observer;
  observer.observe("a", Tensor::vector<float>({2, 5}));
  observer.observe("a", Tensor::vector<float>({3, 7}));
  observer.observe("b", Tensor::vector<float>({-3, -1}));
  EXPECT_EQ(observer.ranges().at("a"), (ValueRange{0, 7}));
  EXPECT_EQ(observer.ranges().at("b"), (ValueRange{-3, 0}));
}

TEST(RangeObserverTest, RefusesWhatIsNoNumber) {
  RangeObserver observer;
  EXPECT_THROW(observer.observe("a", Tensor::vector<float>({1, INFINITY})), InputError);
  EXPECT_THROW(observer.observe("a", Tensor::vector<float>({NAN})), InputError);
}

TEST(CalibrateTest, SeesEveryFloatingPointValueOfEverySample) {
  Builder builder("net");
  const ValueId x = input(builder, {2});
  const ValueId negated = builder.add(Op::kNeg, {x}, {}, "negated");
  const Graph g = finish(builder, builder.add(Op::kRelu, {negated}, {}, "positive"));
  const std::vector<NamedTensors> samples = {{{"x", Tensor::vector<float>({1, -2})}},
                                             {{"x", Tensor::vector<float>({4, 3})}}};
  const CalibrationRanges ranges = calibrate(g, samples, run_reference);
  EXPECT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges.at("x"), (ValueRange{-2, 4}));
  EXPECT_EQ(ranges.at("negated"), (ValueRange{-4, 2}));
  EXPECT_EQ(ranges.at("positive"), (ValueRange{0, 2}));
  EXPECT_THROW(calibrate(g, {}, run_reference), InputError);
}

TEST(QuantizationParametersTest, HoldTheRangeAndZeroExactly) {
  for (const auto& [low, high, zero_point] : {std::tuple{0.0F, 2.55F, -128},
                                              {-1.28F, 1.27F, 0},
                                              {-5.1F, 0.0F, 127},
                                              {-1.0F, 3.0F, -64}}) {
    const QuantizationParameters p = parameters_for({low, high});
    EXPECT_NEAR(p.scale, (high - low) / 255, 1e-7);
    EXPECT_EQ(p.zero_point, zero_point);
  }
  EXPECT_EQ(parameters_for({0, 0}).scale, 1.0F);
  EXPECT_GT(parameters_for({0, 1e-44F}).scale, 0.0F);
}

TEST(QuantizeWeightsTest, ScalesEachChannelByItsLargestWeight) {
  const Tensor weights = Tensor::of<float>({2, 3}, {1, -2, 0.5F, 127, 64, 0});
  const QuantizedConstant q = quantize_weights(weights, {3, 2, 1}, nullptr, 1);
  EXPECT_EQ(*q.scale.ready(), (Tensor::vector<float>({2.0F / 127, 1})));
  EXPECT_EQ(*q.integers.ready(), (Tensor::of<std::int8_t>({2, 3}, {64, -127, 32, 127, 64, 0})));
}

TEST(QuantizeWeightsTest, RaisesTheScaleForALargeBias) {
  const Tensor weights = Tensor::of<float>({1, 1}, {1e-9F});
  const Constant bias = Tensor::vector<float>({1000});
  const QuantizedConstant q = quantize_weights(weights, {1, 1, 1}, &bias, 0.5F);
  const QuantizedConstant b = quantize_bias(bias, q.scale, 0.5F);
  EXPECT_NEAR(b.integers.ready()->data<std::int32_t>()[0], 1 << 23, 1);
  EXPECT_NEAR(b.scale.ready()->data<float>()[0] * 0x1p23F, 1000, 1e-3);
}

TEST(QuantizeWeightsTest, ZeroesAreZero) {
  const QuantizedConstant q =
      quantize_weights(Tensor(DataType::kFloat32, {2, 2}), {1, 2, 2}, nullptr, 1);
  EXPECT_EQ(*q.scale.ready(), (Tensor::vector<float>({1, 1})));
  EXPECT_EQ(*q.integers.ready(), Tensor(DataType::kInt8, {2, 2}));
}

class QuantizeTest : public ::testing::Test {
 protected:
  ValueId floats(Shape shape) { return builder.constant(random_floats(random, std::move(shape))); }
  ValueId conv(ValueId x, std::int64_t inputs, std::int64_t outputs) {
    return builder.add(Op::kConv, {x, floats({outputs, inputs, 3, 3}), floats({outputs})},
                       {{"pads", Integers{1, 1, 1, 1}}});
  }
  ValueId relu(ValueId x) { return builder.add(Op::kRelu, {x}); }

  /// A small residual network; all of its operators stay int8.
  Graph residual_network() {
    const ValueId x = input(builder, {1, 3, 8, 8});
    const ValueId first = relu(batch_norm(builder, random, conv(x, 3, 6), 6));
    const ValueId pooled = builder.add(
        Op::kMaxPool, {first}, {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
    const ValueId sum = relu(builder.add(Op::kAdd, {conv(pooled, 6, 6), pooled}));
    const ValueId wide = builder.add(Op::kConcat, {sum, pooled}, {{"axis", std::int64_t{1}}});
    const ValueId averaged = builder.add(Op::kGlobalAveragePool, {conv(wide, 12, 8)});
    const ValueId flat = builder.add(Op::kFlatten, {averaged});
    const ValueId matmul = builder.add(Op::kMatMul, {flat, floats({8, 5})});
    return finish(builder, builder.add(Op::kAdd, {matmul, floats({5})}));
  }

  Random random{31};
  Builder builder{"net"};
};

TEST_F(QuantizeTest, WritesOperatorsOfOnnxAlone) {
  const Graph g = simplify(residual_network(), reference::evaluate);
  const Graph quantized = quantize(g, ranges_of(g, random));
  for (const Node& node : quantized.nodes) {
    EXPECT_FALSE(node.attributes.has("activation"));
    EXPECT_LE(node.inputs.size(), 3U);
  }
  EXPECT_EQ(count(quantized, Op::kConv), 3U);
  EXPECT_EQ(quantized.type(quantized.outputs[0].value).type, DataType::kFloat32);
  EXPECT_EQ(quantized.type(quantized.inputs[0]).type, DataType::kFloat32);
}

TEST_F(QuantizeTest, StaysCloseToTheNetwork) {
  const Graph g = simplify(residual_network(), reference::evaluate);
  const Graph quantized = quantize(g, ranges_of(g, random, 20));
  // About ten roundings are off by up to half a step of 255 each. They add up like sqrt(10) / 510 <
  // 1 %, and input errors are amplified a little. Wrong scales or zero points would be off by 10 %
  // or more.
  expect_close(g, quantized, random, 0.05);
}

TEST_F(QuantizeTest, BecomesIntegerOperatorsFromEndToEnd) {
  const Graph g = simplify(residual_network(), reference::evaluate);
  const Graph quantized = quantize(g, ranges_of(g, random));
  const Graph after = optimize(quantized, reference::evaluate);
  EXPECT_EQ(count(after, Op::kConv), 0U);
  EXPECT_EQ(count(after, Op::kQLinearConv), 3U);
  EXPECT_EQ(count(after, Op::kRelu), 1U) << "only the Relu after the Add may stay";
  const bool has_bias = graph::signature_of(Op::kQLinearMatMul).max_inputs == 9;
  EXPECT_EQ(count(after, Op::kQLinearMatMul), has_bias ? 1U : 0U);
  for (const Op op : {Op::kMaxPool, Op::kConcat, Op::kFlatten}) {
    EXPECT_EQ(after.type(find(after, op).inputs[0]).type, DataType::kInt8);
  }
  // The integer form sometimes differs by one step, which is 1 / 255 of a range.
  expect_close(quantized, after, random, 0.03);
}

TEST_F(QuantizeTest, NothingIsRoundedBetweenAProductAndItsActivation) {
  const Graph g = finish(builder, relu(conv(input(builder, {1, 3, 8, 8}), 3, 4)));
  const Graph quantized = quantize(g, ranges_of(g, random));
  EXPECT_EQ(ops(quantized),
            "QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv Relu "
            "QuantizeLinear DequantizeLinear");
}

TEST_F(QuantizeTest, LeavesWhatHasNoIntegerFormInFloatingPoint) {
  const ValueId x = input(builder, {6, 6});
  const ValueId y = builder.add(Op::kSoftmax, {builder.add(Op::kMul, {x, x})});
  const Graph g = finish(builder, builder.add(Op::kGemm, {y, x}));
  EXPECT_EQ(ops(quantize(g, {})), ops(g));
}

TEST(QuantizationPlanTest, ComputedWeightsHaveTheZeroPointZero) {
  Builder own("net");
  const ValueId a = own.input("a", {DataType::kFloat32, {5, 6}});
  const ValueId b = own.input("b", {DataType::kFloat32, {6, 4}});
  const Graph two = finish(own, own.add(Op::kMatMul, {a, b}, {}, "product"));
  const CalibrationRanges ranges = {{"a", {0, 2.55F}}, {"b", {-1, 2.54F}}, {"product", {-9, 9}}};
  const QuantizationPlan plan(two, ranges);
  EXPECT_EQ(plan.parameters(a).zero_point, -128);
  EXPECT_EQ(plan.parameters(b).zero_point, 0);
  EXPECT_FLOAT_EQ(plan.parameters(b).scale, 2.54F / 127);
  EXPECT_TRUE(plan.is_quantized(two.outputs[0].value));
}

TEST_F(QuantizeTest, ProductsOfComputedMatricesBecomeInteger) {
  const ValueId x = input(builder, {6, 6});
  const ValueId scores =
      builder.add(Op::kMatMul, {x, builder.add(Op::kTranspose, {x}, {{"perm", Integers{1, 0}}})});
  const ValueId scaled = builder.add(Op::kDiv, {scores, builder.constant(Tensor::scalar(8.0F))});
  const ValueId shares = builder.add(Op::kSoftmax, {scaled});
  const Graph g = finish(builder, builder.add(Op::kMatMul, {shares, x}));
  const Graph quantized = quantize(g, ranges_of(g, random));
  // The scores and the softmax result are rounded, but nothing in between.
  EXPECT_EQ(count(quantized, Op::kQuantizeLinear), 5U);  // x twice, scores, shares, result
  // Four roundings add about 1 % each; two have a bit less precision. Wrong scales are far off.
  expect_close(g, quantized, random, 0.08);
  EXPECT_EQ(count(optimize(quantized, reference::evaluate), Op::kQLinearMatMul), 2U);
}

TEST_F(QuantizeTest, NothingIsRoundedBetweenElementwiseOperators) {
  const ValueId x = input(builder, {5, 6});
  const ValueId y = builder.add(Op::kMatMul, {x, floats({6, 6})});
  const auto number = [&](float value) { return builder.constant(Tensor::scalar(value)); };
  const ValueId erf = builder.add(Op::kErf, {builder.add(Op::kDiv, {y, number(std::sqrt(2.0F))})});
  const ValueId gelu = builder.add(Op::kMul, {y, builder.add(Op::kAdd, {erf, number(1)})});
  const Graph g = finish(builder, builder.add(Op::kMul, {gelu, number(0.5F)}));
  const Graph quantized = quantize(g, ranges_of(g, random));
  EXPECT_EQ(count(quantized, Op::kQuantizeLinear), 3U);  // x, y, result
  expect_close(g, quantized, random, 0.03);
}

TEST_F(QuantizeTest, BothTermsOfASumAreInteger) {
  const ValueId x = input(builder, {5, 6});
  const ValueId y = builder.add(Op::kMatMul, {builder.add(Op::kSqrt, {x}), floats({6, 6})});
  const Graph g = finish(builder, builder.add(Op::kAdd, {builder.add(Op::kSqrt, {x}), y}));
  CalibrationRanges ranges;
  for (const auto& value : g.values) ranges[value.name] = {-1, 1};
  EXPECT_EQ(count(quantize(g, ranges), Op::kQuantizeLinear), 4U);  // both roots, product, sum
}

TEST_F(QuantizeTest, PartsOfASplitShareItsScale) {
  const ValueId x = input(builder, {5, 6});
  const ValueId y = builder.add(Op::kMatMul, {x, floats({6, 6})});
  const ValueId sizes = builder.constant(Tensor::vector<std::int64_t>({2, 4}));
  const std::vector<ValueId> parts =
      builder.add(Op::kSplit, {y, sizes}, {{"axis", std::int64_t{1}}}, "split", {"a", "b"});
  const ValueId narrow = builder.add(Op::kMatMul, {parts[0], floats({2, 4})});
  const Graph g =
      finish(builder, builder.add(Op::kConcat, {narrow, parts[1]}, {{"axis", std::int64_t{1}}}));
  const Graph quantized = quantize(g, ranges_of(g, random, 200));
  expect_close(g, quantized, random, 0.05);
  const Graph after = optimize(quantized, reference::evaluate);
  EXPECT_EQ(count(after, Op::kQuantizeLinear), 1U) << ops(after);  // only x
  EXPECT_EQ(after.type(find(after, Op::kSplit).inputs[0]).type, DataType::kInt8);
}

TEST_F(QuantizeTest, ScalesEachOutputOfAGemmEitherWayRound) {
  for (const std::int64_t transposed : {0, 1}) {
    Builder gemm("net");
    // Outputs differ greatly in size: a scale along the wrong axis would lose the small ones.
    Tensor weights = random_floats(random, transposed != 0 ? Shape{4, 6} : Shape{6, 4});
    for (std::size_t i = 0; i < 24; ++i) {
      const std::size_t output = transposed != 0 ? i / 6 : i % 4;
      weights.mutable_data<float>()[i] *= output == 3 ? 1e-4F : 1.0F;
    }
    Tensor biases = random_floats(random, {1, 4});
    biases.mutable_data<float>()[3] *= 1e-4F;
    const ValueId bias = gemm.constant(biases);
    const ValueId y = gemm.add(Op::kGemm, {input(gemm, {5, 6}), gemm.constant(weights), bias},
                               {{"transB", transposed}}, "gemm");
    const Graph g = finish(gemm, y);
    const Graph quantized = quantize(g, ranges_of(g, random, 500));
    expect_close(g, quantized, random, 0.03);
    const ValueId dequantized = find(quantized, Op::kGemm).inputs[1];
    const Node& pair = quantized.nodes[graph::producers(quantized)[dequantized]];
    const Tensor scales = quantized.values[pair.inputs[1]].constant->tensor();
    EXPECT_LT(scales.data<float>()[3], 1e-3F * scales.data<float>()[0]);
  }
}

TEST_F(QuantizeTest, KeepsWeightsThatAreMadeOnDemand) {
  int made = 0;
  const ValueId w = builder.constant(lazy(random_floats(random, {6, 4}), &made));
  const Graph g = finish(builder, builder.add(Op::kMatMul, {input(builder, {2, 6}), w}, {}, "p"));
  const Graph quantized = quantize(g, {{"x", {-1, 1}}, {"p", {-3, 3}}});
  EXPECT_EQ(made, 0);
  expect_close(g, quantized, random, 0.05);
}

TEST_F(QuantizeTest, RefusesFusedNetworksAndMissingRanges) {
  const Graph g = finish(builder, relu(conv(input(builder, {1, 3, 8, 8}), 3, 4)));
  EXPECT_THROW(quantize(g, {}), InputError);
  EXPECT_THROW(quantize(optimize(g, reference::evaluate), ranges_of(g, random)), InputError);
}

}  // namespace
}  // namespace weft::passes::testing
