// The importer must make the graph that the file describes.
#include "compiler/onnx/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/graph/builder/check.h"
#include "compiler/onnx/tensor_file.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;
using testing_support::set_tensor;
using testing_support::TemporaryFolder;

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.emplace_back(to_string(node.op));
  return names;
}

using Names = std::vector<std::string>;

Model small_network() {
  Model model;
  model.input("x", {1, 2, 4, 4}).output("y").floats("b", {1, 2, 3});
  TensorProto& weights = model.initializer("w", TensorProto::FLOAT, {3, 2, 3, 3});
  for (int i = 0; i < 54; ++i) weights.add_float_data(static_cast<float>(i));
  auto& conv = model.node("Conv", {"x", "w", "b"}, {"c"});
  conv.set_name("conv1");
  set(conv, "pads", std::vector<std::int64_t>{1, 1, 1, 1});
  model.node("Relu", {"c"}, {"y"});
  return model;
}

TEST(ImportTest, MakesNodesInputsOutputsAndConstants) {
  const Graph graph = small_network().import();
  graph::check(graph);
  EXPECT_EQ(graph.name, "test");
  EXPECT_EQ(operators(graph), (Names{"Conv", "Relu"}));
  EXPECT_EQ(graph.nodes[0].name, "conv1");
  EXPECT_EQ(graph.nodes[1].name, "y");  // the node has no name; its output gives one
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.values[graph.inputs[0]].name, "x");
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.outputs[0].name, "y");
  EXPECT_EQ(graph.type(graph.outputs[0].value),
            (graph::ValueType{DataType::kFloat32, {1, 3, 4, 4}}));
  EXPECT_EQ(graph.nodes[0].attributes.integers("pads"), (Shape{1, 1, 1, 1}));
  const auto weights = graph.values[graph.nodes[0].input(1)].constant->tensor();
  EXPECT_EQ(weights.shape(), (Shape{3, 2, 3, 3}));
  EXPECT_EQ(weights.data<float>()[53], 53.0F);
}

TEST(ImportTest, ReadsAFileAsItReadsBytes) {
  const TemporaryFolder folder;
  const Model model = small_network();
  const std::string path = folder.write("net.onnx", model.bytes());
  EXPECT_EQ(to_text(import_onnx(path)), to_text(model.import()));
}

TEST(ImportTest, SortsNodesThatStandInAnyOrder) {
  Model model;
  model.input("x", {2}).output("d");
  model.node("Add", {"c", "b"}, {"d"});
  model.node("Neg", {"b"}, {"c"});
  model.node("Abs", {"x"}, {"b"});
  EXPECT_EQ(operators(model.import()), (Names{"Abs", "Neg", "Add"}));
}

TEST(ImportTest, KeepsTheOrderOfTheFileWhereItIsOne) {
  Model model;
  model.input("x", {2}).output("e");
  model.node("Relu", {"x"}, {"a"});
  model.node("Abs", {"x"}, {"b"});
  model.node("Neg", {"b"}, {"c"});
  model.node("Sqrt", {"a"}, {"d"});
  model.node("Add", {"c", "d"}, {"e"});
  EXPECT_EQ(operators(model.import()), (Names{"Relu", "Abs", "Neg", "Sqrt", "Add"}));
}

TEST(ImportTest, DropsUnusedInitializersWithoutReadingThem) {
  Model model;
  model.input("x", {2}).output("y").floats("unused", {1, 2});
  model.initializer("broken", TensorProto::STRING, {7});
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(model.import().values.size(), 2U);
}

TEST(ImportTest, TakesAnInitializerThatIsListedAsInputForAConstant) {
  Model model;
  model.input("x", {2}).input("w", {2}).output("y").floats("w", {3, 4});
  model.node("Add", {"x", "w"}, {"y"});
  const Graph graph = model.import();
  EXPECT_EQ(graph.inputs.size(), 1U);
  EXPECT_TRUE(graph.is_constant(graph.nodes[0].input(1)));
}

TEST(ImportTest, LeavesOutOptionalInputsWithoutAName) {
  Model model;
  model.input("x", {2}).output("y");
  TensorProto& high = model.initializer("high", TensorProto::FLOAT, {});
  high.add_float_data(6.0F);
  model.node("Clip", {"x", "", "high"}, {"y"});
  const Graph graph = model.import();
  EXPECT_EQ(graph.nodes[0].input(1), graph::kNoValue);
  EXPECT_TRUE(graph.is_constant(graph.nodes[0].input(2)));
}

TEST(ImportTest, GivesInputsAndConstantsAsOutputs) {
  Model model;
  model.input("x", {2}).output("x").output("w").floats("w", {3, 4});
  const Graph graph = model.import();
  EXPECT_EQ(graph.outputs[0].value, graph.inputs[0]);
  EXPECT_TRUE(graph.is_constant(graph.outputs[1].value));
}

TEST(ImportTest, ReadsEveryKindOfConstantNode) {
  Model model;
  model.output("a").output("b", TensorProto::INT64).output("c").output("d", TensorProto::INT64);
  model.output("e", TensorProto::INT8);
  set(model.node("Constant", {}, {"a"}), "value_float", 1.5F);
  set(model.node("Constant", {}, {"b"}), "value_int", std::int64_t{-3});
  set(model.node("Constant", {}, {"c"}), "value_floats", std::vector<float>{1, 2});
  set(model.node("Constant", {}, {"d"}), "value_ints", std::vector<std::int64_t>{4, 5, 6});
  TensorProto& tensor = set_tensor(model.node("Constant", {}, {"e"}), "value");
  tensor.set_data_type(TensorProto::INT8);
  tensor.add_int32_data(-128);
  const Graph graph = model.import();
  EXPECT_TRUE(graph.nodes.empty());
  const auto result = [&](std::size_t i) {
    return graph.values[graph.outputs[i].value].constant->tensor();
  };
  EXPECT_EQ(result(0), Tensor::scalar(1.5F));
  EXPECT_EQ(result(1), Tensor::scalar<std::int64_t>(-3));
  EXPECT_EQ(result(2), Tensor::vector<float>({1, 2}));
  EXPECT_EQ(result(3), Tensor::vector<std::int64_t>({4, 5, 6}));
  EXPECT_EQ(result(4), Tensor::scalar<std::int8_t>(-128));
}

/// Imports the initializer and returns the resulting constant.
Tensor imported(Model& model, TensorProto::DataType type) {
  const Graph graph = model.output("w", type).import();
  return graph.values[graph.outputs[0].value].constant->tensor();
}

template <class T>
Tensor imported_raw(TensorProto::DataType type, const std::vector<T>& values) {
  Model model;
  TensorProto& tensor = model.initializer("w", type, {static_cast<std::int64_t>(values.size())});
  std::string raw(values.size() * sizeof(T), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  tensor.set_raw_data(raw);
  return imported(model, type);
}

TEST(ImportTest, ReadsRawElementsOfEachType) {
  using graph::Half;
  EXPECT_EQ(imported_raw<float>(TensorProto::FLOAT, {1.5F, -2}), Tensor::vector<float>({1.5F, -2}));
  EXPECT_EQ(imported_raw<double>(TensorProto::DOUBLE, {0.1}), Tensor::vector<double>({0.1}));
  EXPECT_EQ(imported_raw<std::uint16_t>(TensorProto::FLOAT16, {0x3C00, 0xFC00}),
            Tensor::vector<Half>({Half{0x3C00}, Half{0xFC00}}));
  EXPECT_EQ(imported_raw<std::int8_t>(TensorProto::INT8, {-128, 127}),
            Tensor::vector<std::int8_t>({-128, 127}));
  EXPECT_EQ(imported_raw<std::uint8_t>(TensorProto::UINT8, {0, 255}),
            Tensor::vector<std::uint8_t>({0, 255}));
  EXPECT_EQ(imported_raw<std::int32_t>(TensorProto::INT32, {-5, 1 << 30}),
            Tensor::vector<std::int32_t>({-5, 1 << 30}));
  EXPECT_EQ(imported_raw<std::int64_t>(TensorProto::INT64, {-5, 1LL << 60}),
            Tensor::vector<std::int64_t>({-5, 1LL << 60}));
}

TEST(ImportTest, TakesAnyByteButZeroForTrue) {
  const Tensor bools = imported_raw<std::uint8_t>(TensorProto::BOOL, {0, 1, 7});
  EXPECT_EQ(bools.type(), DataType::kBool);
  EXPECT_EQ(bools.bytes()[0], std::byte{0});
  EXPECT_EQ(bools.bytes()[1], std::byte{1});
  EXPECT_EQ(bools.bytes()[2], std::byte{1});
}

TEST(ImportTest, ReadsTypedElementsOfEachType) {
  const auto typed = [](TensorProto::DataType type, auto&& add) {
    Model model;
    TensorProto& tensor = model.initializer("w", type, {2});
    add(tensor);
    return imported(model, type);
  };
  const auto words = [](TensorProto& tensor) {
    tensor.add_int32_data(1);
    tensor.add_int32_data(100);
  };
  EXPECT_EQ(typed(TensorProto::INT8, words), Tensor::vector<std::int8_t>({1, 100}));
  EXPECT_EQ(typed(TensorProto::UINT8, words), Tensor::vector<std::uint8_t>({1, 100}));
  EXPECT_EQ(typed(TensorProto::INT32, words), Tensor::vector<std::int32_t>({1, 100}));
  EXPECT_EQ(typed(TensorProto::FLOAT16, words),
            Tensor::vector<graph::Half>({graph::Half{1}, graph::Half{100}}));
  const Tensor bools = typed(TensorProto::BOOL, words);
  EXPECT_EQ(bools.data<bool>()[0], true);
  EXPECT_EQ(bools.bytes()[1], std::byte{1});
  EXPECT_EQ(typed(TensorProto::DOUBLE,
                  [](TensorProto& tensor) {
                    tensor.add_double_data(0.25);
                    tensor.add_double_data(-1);
                  }),
            Tensor::vector<double>({0.25, -1}));
}

TEST(ImportTest, BindsOpenDimensionsByShapes) {
  Model model;
  model.input("x", {"N", 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  const Graph graph = model.import({.shapes = {{"x", {5, 3}}}});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{5, 3}));
}

TEST(ImportTest, BindsAnInputWithoutAnyShape) {
  Model model;
  model.input("x", {}).output("y");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  model.node("Relu", {"x"}, {"y"});
  const Graph graph = model.import({.shapes = {{"x", {5, 3}}}});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{5, 3}));
}

TEST(ImportTest, BindsANamedDimensionOfOneInputByAnother) {
  Model model;
  model.input("x", {"N", 3}).input("z", {"N", "C"}).output("y");
  model.node("Add", {"x", "z"}, {"y"});
  const Graph graph = model.import({.shapes = {{"z", {5, 3}}}});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{5, 3}));
}

TEST(ImportTest, BindsOpenDimensionsByValues) {
  Model model;
  model.input("x", {"", ""}).output("y");
  model.node("Relu", {"x"}, {"y"});
  const Graph graph = model.import({.values = {{"x", Tensor(DataType::kFloat32, {5, 3})}}});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{5, 3}));
}

TEST(ImportTest, BindsOpenFirstDimensionsByTheBatch) {
  Model model;
  model.input("x", {"N", 3}).input("y", {"", 3}).input("w", {4, 3}).output("z");
  model.node("Add", {"x", "y"}, {"z"});
  const Graph graph = model.import({.batch = 5});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{5, 3}));
  EXPECT_EQ(graph.type(graph.inputs[1]).shape, (Shape{5, 3}));
  EXPECT_EQ(graph.type(graph.inputs[2]).shape, (Shape{4, 3}));
  const Graph shaped = model.import({.shapes = {{"x", {7, 3}}, {"y", {7, 3}}}, .batch = 4});
  EXPECT_EQ(shaped.type(shaped.inputs[0]).shape, (Shape{7, 3})) << "a given shape takes precedence";
}

TEST(ImportTest, TakesOneWhereTheFirstDimensionIsCalledBatch) {
  Model model;
  model.input("x", {"batch_size", 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  const auto shape_of = [&](const ImportOptions& options) {
    const Graph graph = model.import(options);
    return graph.type(graph.inputs[0]).shape;
  };
  EXPECT_EQ(shape_of({}), (Shape{1, 3}));
  EXPECT_EQ(shape_of({.batch = 5}), (Shape{5, 3}));
  EXPECT_EQ(shape_of({.shapes = {{"x", {7, 3}}}}), (Shape{7, 3}));
}

TEST(ImportTest, RefusesABatchThatTheFileContradicts) {
  Model model;
  model.input("x", {2, 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(model.import({.batch = 2}).inputs.size(), 1U);
  EXPECT_THAT(error_of([&] { model.import({.batch = 5}); }),
              HasSubstr("no input has batch 5: 'x' is 2x3"));
}

TEST(ImportTest, RefusesABatchThatAGivenShapeContradicts) {
  Model model;
  model.input("x", {"N", 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(error_of([&] {
              model.import({.shapes = {{"x", {1, 3}}}, .batch = 2});
            }),
            "test.onnx: no input has batch 2: 'x' is 1x3; give shapes and values of this batch, or "
            "drop the batch");
}

TEST(ImportTest, LeavesOtherOpenDimensionsToShapes) {
  Model model;
  model.input("x", {"N", "C"}).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_THAT(error_of([&] { model.import({.batch = 5}); }), HasSubstr("the dimension C"));
}

TEST(ImportTest, FreezesAnInputWhoseElementsDecideAShape) {
  Model model;
  model.input("x", {2, 3}).input("s", {2}, TensorProto::INT64).output("y");
  model.node("Reshape", {"x", "s"}, {"y"});
  EXPECT_THAT(error_of([&] { model.import(); }), HasSubstr("input 1 (shape) must be known"));
  const Graph graph = model.import({.values = {{"x", Tensor(DataType::kFloat32, {2, 3})},
                                               {"s", Tensor::vector<std::int64_t>({3, 2})}}});
  EXPECT_EQ(graph.type(graph.outputs[0].value).shape, (Shape{3, 2}));
  ASSERT_EQ(graph.inputs.size(), 1U) << "only s may become a constant";
  EXPECT_EQ(graph.values[graph.inputs[0]].name, "x");
}

TEST(ImportTest, KeepsAnInputWhoseValueNoShapeNeeds) {
  Model model;
  model.input("x", {2}, TensorProto::INT64).output("y", TensorProto::INT64);
  model.node("Neg", {"x"}, {"y"});
  const Graph graph = model.import({.values = {{"x", Tensor::vector<std::int64_t>({3, 2})}}});
  EXPECT_EQ(graph.inputs.size(), 1U);
}

TEST(ImportTest, ComputesShapesFromShapes) {
  Model model;
  model.input("x", {2, 3, 4}).output("y").ints("tail", {-1});
  TensorProto& zero = model.initializer("zero", TensorProto::INT64, {1});
  zero.add_int64_data(0);
  model.node("Shape", {"x"}, {"s"});
  auto& gather = model.node("Gather", {"s", "zero"}, {"n"});
  set(gather, "axis", std::int64_t{0});
  auto& concat = model.node("Concat", {"n", "tail"}, {"t"});
  set(concat, "axis", std::int64_t{0});
  model.node("Reshape", {"x", "t"}, {"y"});
  // Evaluates just these two operators, on int64 vectors.
  const graph::Evaluator evaluate = [](const graph::NodeCall& call) -> std::vector<Tensor> {
    const auto first = call.inputs[0]->data<std::int64_t>();
    if (call.op == Op::kGather) return {Tensor::vector<std::int64_t>({first[0]})};
    return {Tensor::vector<std::int64_t>({first[0], call.inputs[1]->data<std::int64_t>()[0]})};
  };
  const Graph graph = model.import({.evaluate = evaluate});
  EXPECT_EQ(operators(graph), (Names{"Reshape"}));
  EXPECT_EQ(graph.type(graph.outputs[0].value).shape, (Shape{2, 12}));
}

TEST(ImportTest, ReadsExternalData) {
  const TemporaryFolder folder;
  folder.write("weights/w.bin", std::string("xxxx\0\0\x80\x3F\0\0\0\x40yy", 14));
  Model model;
  model.output("w");
  TensorProto& tensor = model.initializer("w", TensorProto::FLOAT, {2});
  tensor.set_data_location(TensorProto::EXTERNAL);
  const auto entry = [&](const char* key, const char* value) {
    auto& added = *tensor.add_external_data();
    added.set_key(key);
    added.set_value(value);
  };
  entry("location", "weights/../weights/w.bin");
  entry("offset", "4");
  entry("length", "8");
  const Graph graph = import_onnx(folder.write("net.onnx", model.bytes()));
  EXPECT_EQ(graph.values[graph.outputs[0].value].constant->tensor(), Tensor::vector<float>({1, 2}));
}

TEST(ImportTest, ReadsTensorFiles) {
  const TemporaryFolder folder;
  TensorProto proto;
  proto.set_data_type(TensorProto::INT32);
  proto.add_dims(2);
  proto.add_int32_data(7);
  proto.add_int32_data(-7);
  const std::string path = folder.write("input_0.pb", proto.SerializeAsString());
  EXPECT_EQ(read_tensor_pb(path), Tensor::vector<std::int32_t>({7, -7}));
  proto.add_int32_data(1);
  const std::string broken = folder.write("input_1.pb", proto.SerializeAsString());
  EXPECT_EQ(error_of([&] { read_tensor_pb(broken); }),
            broken + ": int32 2 needs 2 elements, the file has 3");
}

}  // namespace
}  // namespace weft::onnx_io
