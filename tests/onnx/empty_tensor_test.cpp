// Networks with empty tensors. The machine has no program for nothing, so the host computes such
// nodes, and the machine computes what comes before and after them. The expected values follow from
// the operators' definitions: a sum over nothing is 0, so a product over K = 0 is its bias.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/passes/optimize.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_runner.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io::testing_support {
namespace {

using graph::Tensor;

constexpr const char* kEmpty = "one of its tensors is empty";

MachineConfig small_machine(ElementType type) {
  MachineConfig config;
  config.array_rows = 4;
  config.array_cols = 4;
  config.dtype = type;
  config.accumulator_rows = 64;
  config.unified_buffer_kib = 64;
  return config;
}

struct EmptyRun {
  Tensor y;
  std::string host;  // each node of the host and why, such as "Gemm: one of its tensors is empty; "
};

/// Runs a network from x to y on the machine.
EmptyRun run(const Model& model, const Tensor& x, ElementType type = ElementType::kBf16) {
  const MachineConfig config = small_machine(type);
  const compiler::NetworkProgram program =
      compiler::compile_network(passes::optimize(model.import(), reference::evaluate), config);
  EmptyRun run{runtime::run_network(program, config, {{"x", x}}, {}).outputs.at("y"), ""};
  for (const auto& step : program.steps) {
    const auto* host = std::get_if<compiler::HostStep>(&step);
    if (host == nullptr) continue;
    run.host += to_string(program.graph.nodes[host->node].op);
    run.host += ": " + host->reason + "; ";
  }
  return run;
}

std::string on_host(const std::vector<std::string>& operators) {
  std::string text;
  for (const std::string& op : operators) text += op + ": " + kEmpty + "; ";
  return text;
}

/// The initializer w of this shape, all of it `value`.
void weights(Model& model, const std::string& name, const graph::Shape& shape, float value) {
  TensorProto& tensor = model.initializer(name, TensorProto::FLOAT, shape);
  for (std::int64_t i = 0; i < graph::element_count(shape); ++i) tensor.add_float_data(value);
}

std::vector<std::variant<std::int64_t, std::string>> dims_of(const graph::Shape& shape) {
  return {shape.begin(), shape.end()};
}

Tensor ones(const graph::Shape& shape) {
  const auto count = static_cast<std::size_t>(graph::element_count(shape));
  return Tensor::of(shape, std::vector<float>(count, 1));
}

/// y = op(x, w).
EmptyRun run_with_weights(const std::string& op, const graph::Shape& x, const graph::Shape& w) {
  Model model;
  model.input("x", dims_of(x)).output("y");
  weights(model, "w", w, 1);
  model.node(op, {"x", "w"}, {"y"});
  return run(model, ones(x));
}

TEST(OnnxEmptyTensorTest, ProductsWithoutColumnsAreEmpty) {
  for (const char* op : {"Gemm", "MatMul"}) {
    const EmptyRun found = run_with_weights(op, {2, 4}, {4, 0});
    EXPECT_EQ(found.y, ones({2, 0})) << op;
    EXPECT_EQ(found.host, on_host({op}));
  }
}

TEST(OnnxEmptyTensorTest, ProductsWithoutRowsAreEmpty) {
  for (const char* op : {"Gemm", "MatMul"}) {
    const EmptyRun found = run_with_weights(op, {0, 4}, {4, 3});
    EXPECT_EQ(found.y, ones({0, 3})) << op;
    EXPECT_EQ(found.host, on_host({op}));
  }
}

TEST(OnnxEmptyTensorTest, ProductsOverNothingAreTheirBias) {
  Model model;
  model.input("x", {2, 0}).output("y").floats("b", {1, 2, 3});
  weights(model, "w", {0, 3}, 1);
  model.node("Gemm", {"x", "w", "b"}, {"y"});
  const EmptyRun found = run(model, ones({2, 0}));
  EXPECT_EQ(found.y, Tensor::of({2, 3}, std::vector<float>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(found.host, on_host({"Gemm"}));
}

TEST(OnnxEmptyTensorTest, ConvolutionsWithoutFiltersOrImagesAreEmpty) {
  EXPECT_EQ(run_with_weights("Conv", {1, 2, 5, 5}, {0, 2, 3, 3}).y, ones({1, 0, 3, 3}));
  EXPECT_EQ(run_with_weights("Conv", {1, 2, 5}, {0, 2, 3}).y, ones({1, 0, 3}));
  EXPECT_EQ(run_with_weights("Conv", {0, 2, 5, 5}, {3, 2, 3, 3}).y, ones({0, 3, 3, 3}));
}

TEST(OnnxEmptyTensorTest, QuantizedProductsWithoutColumnsAreEmpty) {
  Model model;
  model.input("x", {2, 4}).output("y");
  model.initializer("scale", TensorProto::FLOAT, {}).add_float_data(0.5F);
  model.initializer("zero", TensorProto::INT8, {}).add_int32_data(0);
  model.initializer("w", TensorProto::INT8, {4, 0});
  model.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  model.node("QLinearMatMul", {"q", "scale", "zero", "w", "scale", "zero", "scale", "zero"}, {"p"});
  model.node("DequantizeLinear", {"p", "scale", "zero"}, {"y"});
  EXPECT_EQ(run(model, ones({2, 4}), ElementType::kInt8).y, ones({2, 0}));
}

// x [2, 4] of ones: the first product is 4 everywhere, the next one is empty, the third is its
// bias, and the last is 1 + 2 + 3.
TEST(OnnxEmptyTensorTest, TheMachineComputesTheRest) {
  Model model;
  model.input("x", {2, 4}).output("y").floats("b", {1, 2, 3});
  weights(model, "w1", {4, 4}, 1);
  weights(model, "w2", {4, 0}, 1);
  weights(model, "w3", {0, 3}, 1);
  weights(model, "w4", {3, 5}, 1);
  model.node("Gemm", {"x", "w1"}, {"first"});
  model.node("Gemm", {"first", "w2"}, {"nothing"});
  model.node("Gemm", {"nothing", "w3", "b"}, {"bias"});
  model.node("Gemm", {"bias", "w4"}, {"y"});
  const EmptyRun found = run(model, ones({2, 4}));
  EXPECT_EQ(found.y, Tensor::of({2, 5}, std::vector<float>(10, 6)));
  EXPECT_EQ(found.host, on_host({"Gemm", "Gemm"}));
}

TEST(OnnxEmptyTensorTest, AnEmptyShapeIsNoReason) {
  Model model;
  model.input("x", {1}).output("y").ints("scalar", {});
  model.node("Sigmoid", {"x"}, {"s"});
  model.node("Reshape", {"s", "scalar"}, {"r"});
  model.node("Neg", {"r"}, {"y"});
  const EmptyRun found = run(model, ones({1}));
  EXPECT_EQ(found.y.shape(), graph::Shape{});
  EXPECT_EQ(found.host.find(kEmpty), std::string::npos) << found.host;
}

}  // namespace
}  // namespace weft::onnx_io::testing_support
