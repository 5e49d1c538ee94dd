// A written graph must be a standard ONNX model that computes the same values.
#include "compiler/onnx/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>

#include <sstream>

#include "compiler/graph/builder/builder.h"
#include "compiler/graph/builder/check.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::error_of;

::onnx::ModelProto exported(const Graph& graph) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(to_onnx_bytes(graph)));
  EXPECT_NO_THROW(::onnx::checker::check_model(model)) << model.ShortDebugString();
  return model;
}

std::vector<std::string> operators(const ::onnx::ModelProto& model) {
  std::vector<std::string> names;
  for (const auto& node : model.graph().node()) names.push_back(node.op_type());
  return names;
}

/// Writes, reads and runs the graph; the outputs must equal the original graph's, bit by bit.
void expect_same_outputs(const Graph& graph, const reference::NamedTensors& inputs) {
  const Graph again = testing_support::import_text(to_onnx_bytes(graph));
  graph::check(again);
  EXPECT_EQ(reference::run_graph(again, inputs), reference::run_graph(graph, inputs));
}

Tensor ramp(const Shape& shape, float step) {
  std::vector<float> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<float>(i % 7) - 3.0F) * step;
  }
  return Tensor::of(shape, values);
}

/// Applies the operator to x [2, 3] and constants [3, 4], [4] (bias) and [2, 4] (residual).
Graph contraction(Op op, bool bias, bool residual, const Attributes& attributes) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2, 3}});
  std::vector<ValueId> inputs = {x, builder.constant(ramp({3, 4}, 0.5F), "w"), kNoValue, kNoValue};
  if (bias) inputs[2] = builder.constant(ramp({4}, 0.25F), "b");
  if (residual) inputs[3] = builder.constant(ramp({2, 4}, 1.0F), "r");
  while (inputs.back() == kNoValue) inputs.pop_back();
  builder.output(builder.add(op, inputs, attributes, "product"), "y");
  return builder.finish();
}

const reference::NamedTensors kInputs = {{"x", ramp({2, 3}, 0.75F)}};

TEST(ExportTest, WritesOpset17WithItsInputsAndOutputs) {
  const auto model = exported(contraction(Op::kGemm, true, false, {{"alpha", 2.0F}}));
  EXPECT_EQ(model.ir_version(), 8);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "x");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 3);
  ASSERT_EQ(model.graph().output_size(), 1);
  EXPECT_EQ(model.graph().output(0).name(), "y");
  EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(1).dim_value(), 4);
  ASSERT_EQ(model.graph().node_size(), 1);
  const auto& node = model.graph().node(0);
  EXPECT_EQ(node.name(), "product");
  EXPECT_THAT(node.input(), ElementsAre("x", "w", "b"));
  EXPECT_THAT(node.output(), ElementsAre("y"));
  ASSERT_EQ(node.attribute_size(), 1);
  EXPECT_EQ(node.attribute(0).f(), 2.0F);
  ASSERT_EQ(model.graph().initializer_size(), 2);
  EXPECT_EQ(model.graph().initializer(0).raw_data().size(), 48U);
}

TEST(ExportTest, WritesTheSameToAStream) {
  const Graph graph = contraction(Op::kGemm, true, false, {});
  std::ostringstream out;
  write_onnx(graph, out);
  EXPECT_EQ(out.str(), to_onnx_bytes(graph));
  std::ostringstream broken;
  broken.setstate(std::ios::failbit);
  EXPECT_THAT(error_of([&] { write_onnx(graph, broken); }), HasSubstr("cannot write"));
}

TEST(ExportTest, WritesBiasResidualAndActivationAsNodes) {
  const Graph graph = contraction(Op::kMatMul, true, true, {{"activation", "Relu"}});
  EXPECT_THAT(operators(exported(graph)), ElementsAre("MatMul", "Add", "Add", "Relu"));
  expect_same_outputs(graph, kInputs);
}

TEST(ExportTest, WritesEachExtensionAlone) {
  const auto expect = [](const Graph& graph, const std::vector<std::string>& expected) {
    EXPECT_EQ(operators(exported(graph)), expected);
    expect_same_outputs(graph, kInputs);
  };
  expect(contraction(Op::kMatMul, false, false, {}), {"MatMul"});
  expect(contraction(Op::kMatMul, true, false, {}), {"MatMul", "Add"});
  expect(contraction(Op::kMatMul, false, true, {}), {"MatMul", "Add"});
  expect(contraction(Op::kGemm, true, true, {}), {"Gemm", "Add"});
  expect(contraction(Op::kGemm, false, false, {{"activation", "Tanh"}}), {"Gemm", "Tanh"});
}

TEST(ExportTest, WritesTheParametersOfEachActivation) {
  const auto with = [](const std::string& name, float alpha, float beta) {
    return contraction(
        Op::kGemm, true, false,
        {{"activation", name}, {"activation_alpha", alpha}, {"activation_beta", beta}});
  };
  for (const char* name : {"Clip", "HardSigmoid", "Selu"}) {
    const Graph graph = with(name, 0.25F, 0.75F);
    EXPECT_EQ(operators(exported(graph)), (std::vector<std::string>{"Gemm", name}));
    expect_same_outputs(graph, kInputs);
  }
  for (const char* name : {"LeakyRelu", "Elu"}) {
    const Graph graph =
        contraction(Op::kGemm, true, false, {{"activation", name}, {"activation_alpha", 0.25F}});
    EXPECT_EQ(exported(graph).graph().node(1).attribute(0).f(), 0.25F);
    expect_same_outputs(graph, kInputs);
  }
  const auto clip = exported(with("Clip", -0.5F, 6.0F));
  EXPECT_EQ(clip.graph().node(1).input_size(), 3);
}

/// x uint8 [1, 2] times int8 [2, 3], with scales 0.5, 0.25 and 0.5 and zero points 128, 0 and 100.
Graph quantized(const Attributes& attributes) {
  Builder builder("net");
  const auto scalar = [&](auto value) { return builder.constant(Tensor::scalar(value)); };
  const ValueId x = builder.input("x", {DataType::kUint8, {1, 2}});
  const ValueId w = builder.constant(Tensor::of<std::int8_t>({2, 3}, {1, -7, 30, 8, -2, 5}));
  const std::vector<ValueId> inputs = {x,
                                       scalar(0.5F),
                                       scalar(std::uint8_t{128}),
                                       w,
                                       scalar(0.25F),
                                       scalar(std::int8_t{0}),
                                       scalar(0.5F),
                                       scalar(std::uint8_t{100})};
  builder.output(builder.add(Op::kQLinearMatMul, inputs, attributes, "q"), "y");
  return builder.finish();
}

TEST(ExportTest, WritesAQuantizedActivationAsAClipOfTheQuantizedValues) {
  const reference::NamedTensors inputs = {{"x", Tensor::of<std::uint8_t>({1, 2}, {140, 120})}};
  // acc = 12 w0 - 8 w1 = -52, -68, 320. Times 0.25, plus 100: 87, 83, 180.
  const Graph relu = quantized({{"activation", "Relu"}});
  EXPECT_THAT(operators(exported(relu)), ElementsAre("QLinearMatMul", "Clip"));
  const Graph again = testing_support::import_text(to_onnx_bytes(relu));
  EXPECT_EQ(reference::run_graph(again, inputs).at("y"),
            Tensor::of<std::uint8_t>({1, 3}, {100, 100, 180}));
  // -7.6 is 15.2 steps below 100; 6 is 12 steps above.
  const Graph clip =
      quantized({{"activation", "Clip"}, {"activation_alpha", -7.6F}, {"activation_beta", 6.0F}});
  const Graph clipped = testing_support::import_text(to_onnx_bytes(clip));
  EXPECT_EQ(reference::run_graph(clipped, inputs).at("y"),
            Tensor::of<std::uint8_t>({1, 3}, {87, 85, 112}));
  expect_same_outputs(relu, inputs);
  expect_same_outputs(clip, inputs);
  // Bounds outside the type's range have no effect.
  const Graph open =
      quantized({{"activation", "Clip"}, {"activation_alpha", -1e30F}, {"activation_beta", 1e30F}});
  const Graph read = testing_support::import_text(to_onnx_bytes(open));
  EXPECT_EQ(reference::run_graph(read, inputs).at("y"),
            Tensor::of<std::uint8_t>({1, 3}, {87, 83, 180}));
}

TEST(ExportTest, CopiesAValueThatHasSeveralOutputNames) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2}});
  const ValueId c = builder.constant(Tensor::vector<float>({1, 2}), "c");
  const ValueId sum = builder.add(Op::kAdd, {x, c}, {}, "sum");
  builder.output(sum, "a");
  builder.output(sum, "b");
  builder.output(x, "same");
  builder.output(x, "x");
  builder.output(c, "c");
  const Graph graph = builder.finish();
  const auto model = exported(graph);
  EXPECT_THAT(operators(model), ElementsAre("Add", "Identity", "Identity", "Identity"));
  expect_same_outputs(graph, {{"x", Tensor::vector<float>({5, 6})}});
}

TEST(ExportTest, KeepsNamesApartThatOutputsTake) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2}});
  const ValueId y = builder.add(Op::kNeg, {x}, {}, "y");
  const ValueId z = builder.add(Op::kAbs, {y}, {}, "z");
  builder.output(z, "y");
  const Graph graph = builder.finish();
  EXPECT_THAT(operators(exported(graph)), ElementsAre("Neg", "Abs"));
  expect_same_outputs(graph, {{"x", Tensor::vector<float>({5, -6})}});
}

TEST(ExportTest, LeavesOptionalInputsAndOutputsEmpty) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {3, 1, 2}});
  const ValueId w = builder.constant(ramp({1, 4, 2}, 0.5F));
  const ValueId r = builder.constant(ramp({1, 4, 1}, 0.5F));
  const ValueId h = builder.constant(ramp({1, 1, 1}, 0.5F));
  const auto outputs = builder.add(Op::kLstm, {x, w, r, kNoValue, kNoValue, h},
                                   {{"hidden_size", std::int64_t{1}}}, "lstm", {"", "last"});
  builder.output(outputs[1], "last");
  const Graph graph = builder.finish();
  const auto model = exported(graph);
  EXPECT_EQ(model.graph().node(0).input(3), "");
  EXPECT_EQ(model.graph().node(0).output(0), "");
  expect_same_outputs(graph, {{"x", ramp({3, 1, 2}, 1.0F)}});
}

TEST(ExportTest, WritesConstantsThatAreMadeOnDemandAndDropsUnusedOnes) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2}});
  builder.constant(Tensor::vector<float>({9}), "unused");
  const ValueId c = builder.constant(graph::Constant({DataType::kFloat32, {2}}, [] {
    return Tensor::vector<float>({3, 4});
  }));
  builder.output(builder.add(Op::kAdd, {x, c}), "y");
  const Graph graph = builder.finish();
  EXPECT_EQ(exported(graph).graph().initializer_size(), 1);
  expect_same_outputs(graph, {{"x", Tensor::vector<float>({5, 6})}});
}

}  // namespace
}  // namespace weft::onnx_io
