// Nodes of older opsets must follow the definition in their opset. Expected elements are worked out
// by hand from that definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/graph/builder/check.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Half;
using graph::Shape;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

/// The model's output y.
Tensor run(const Model& model, const reference::NamedTensors& inputs) {
  const graph::Graph graph = model.import({.evaluate = reference::evaluate});
  graph::check(graph);
  return reference::run_graph(graph, inputs).at("y");
}

Tensor counting(const Shape& shape) {
  Floats values(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::of(shape, values);
}

TEST(OpsetTest, SoftmaxBefore13RunsOverAllDimensionsFromItsAxisOn) {
  for (const std::int64_t opset : {6, 11, 12}) {
    Model model(opset);
    model.input("x", {2, 2, 2}).output("y");
    set(model.node("Softmax", {"x"}, {"y"}), "axis", std::int64_t{1});
    const Tensor y = run(model, {{"x", counting({2, 2, 2})}});
    ASSERT_EQ(y.shape(), (Shape{2, 2, 2}));
    const double sum = 1 + std::exp(1) + std::exp(2) + std::exp(3);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(static_cast<double>(y.data<float>()[i]), std::exp(i % 4) / sum, 1e-6) << opset;
    }
  }
}

TEST(OpsetTest, SoftmaxFrom13OnRunsAlongItsAxisAlone) {
  Model model(13);
  model.input("x", {2, 2, 2}).output("y");
  set(model.node("Softmax", {"x"}, {"y"}), "axis", std::int64_t{1});
  const Tensor y = run(model, {{"x", counting({2, 2, 2})}});
  EXPECT_NEAR(static_cast<double>(y.data<float>()[0]), 1 / (1 + std::exp(2)), 1e-6);
}

TEST(OpsetTest, SoftmaxOfANetworkWithoutDeclaredShapesIsConverted) {
  Model model(11);
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"r"});
  model.node("Softmax", {"r"}, {"y"});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 4}, {0, 0, 0, 0})}}),
            Tensor::of<float>({1, 4}, {0.25F, 0.25F, 0.25F, 0.25F}));
}

TEST(OpsetTest, PadBefore11HasItsPadsAndAnOptionalValueAsAttributes) {
  for (const bool with_value : {false, true}) {
    Model model(10);
    model.input("x", {2}).output("y");
    auto& pad = model.node("Pad", {"x"}, {"y"});
    set(pad, "pads", Ints{1, 2});
    if (with_value) set(pad, "value", 9.0F);
    const float v = with_value ? 9.0F : 0.0F;
    EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({5, 6})}}),
              Tensor::vector<float>({v, 5, 6, v, v}));
  }
}

TEST(OpsetTest, PadBefore11HasModesThatTakeNoValue) {
  struct Case {
    std::string mode;
    Floats expected;
  };
  const std::vector<Case> cases = {{"reflect", {7, 6, 5, 6, 7, 6}},
                                   {"edge", {5, 5, 5, 6, 7, 7}},
                                   {"constant", {9, 9, 5, 6, 7, 9}}};
  for (const std::int64_t opset : {2, 9, 10}) {
    for (const auto& [mode, expected] : cases) {
      for (const bool with_value : {false, true}) {
        if (!with_value && mode == "constant") continue;
        SCOPED_TRACE(mode + " of opset " + std::to_string(opset));
        Model model(opset);
        model.input("x", {3}).output("y");
        auto& pad = model.node("Pad", {"x"}, {"y"});
        set(pad, "mode", mode);
        set(pad, "pads", Ints{2, 1});
        if (with_value) set(pad, "value", 9.0F);
        EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({5, 6, 7})}}),
                  Tensor::vector<float>(expected));
      }
    }
  }
}

TEST(OpsetTest, PadsValueHasTheTypeOfTheData) {
  Model model(10);
  model.input("x", {1}, TensorProto::FLOAT16).output("y", TensorProto::FLOAT16);
  auto& pad = model.node("Pad", {"x"}, {"y"});
  set(pad, "pads", Ints{1, 0});
  set(pad, "value", 1.0F);
  EXPECT_EQ(run(model, {{"x", Tensor::vector<Half>({Half{0x4000}})}}),
            Tensor::vector<Half>({Half{0x3C00}, Half{0x4000}}));
}

TEST(OpsetTest, ClipBefore11HasItsBoundsAsAttributesOfAnyFloatType) {
  Model model(6);
  model.input("x", {3}).output("y");
  set(model.node("Clip", {"x"}, {"y"}), "max", 6.0F);
  EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({-3, 5, 7})}}),
            Tensor::vector<float>({-3, 5, 6}));

  Model half(10);
  half.input("x", {3}, TensorProto::FLOAT16).output("y", TensorProto::FLOAT16);
  auto& clip = half.node("Clip", {"x"}, {"y"});
  set(clip, "min", 0.0F);
  set(clip, "max", 1.0F);
  EXPECT_EQ(run(half, {{"x", Tensor::vector<Half>({Half{0xBC00}, Half{0x3800}, Half{0x4000}})}}),
            Tensor::vector<Half>({Half{0}, Half{0x3800}, Half{0x3C00}}));

  Model wide(7);
  wide.input("x", {2}, TensorProto::DOUBLE).output("y", TensorProto::DOUBLE);
  set(wide.node("Clip", {"x"}, {"y"}), "min", 0.5F);
  EXPECT_EQ(run(wide, {{"x", Tensor::vector<double>({0.1, 1e300})}}),
            Tensor::vector<double>({0.5, 1e300}));
}

TEST(OpsetTest, ResizeBefore11CountsFromTheCornerAndRoundsDown) {
  Model model(10);
  model.input("x", {5}).output("y").floats("scales", {0.6F});
  model.node("Resize", {"x", "scales"}, {"y"});
  // The indices are floor(0 / 0.6), floor(1 / 0.6) and floor(2 / 0.6).
  EXPECT_EQ(run(model, {{"x", counting({5})}}), Tensor::vector<float>({0, 1, 3}));
}

TEST(OpsetTest, ResizeBefore11InterpolatesFromTheCorner) {
  Model model(10);
  model.input("x", {2}).output("y").floats("scales", {2});
  set(model.node("Resize", {"x", "scales"}, {"y"}), "mode", std::string("linear"));
  EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({0, 4})}}),
            Tensor::vector<float>({0, 2, 4, 4}));
}

TEST(OpsetTest, UpsampleIsResizeFromTheCorner) {
  Model model(7);
  model.input("x", {1, 1, 1, 2}).output("y");
  set(model.node("Upsample", {"x"}, {"y"}), "scales", Floats{1, 1, 2, 3});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 1, 1, 2}, {7, 8})}}),
            Tensor::of<float>({1, 1, 2, 6}, {7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8}));
}

TEST(OpsetTest, ResizeOf11MayHaveEmptyScalesBesideSizes) {
  Model model(11);
  model.input("x", {2}).output("y").floats("none", {}).ints("sizes", {4});
  auto& resize = model.node("Resize", {"x", "none", "none", "sizes"}, {"y"});
  set(resize, "coordinate_transformation_mode", std::string("asymmetric"));
  set(resize, "nearest_mode", std::string("floor"));
  EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({1, 2})}}),
            Tensor::vector<float>({1, 1, 2, 2}));
}

TEST(OpsetTest, ResizeOf11And12MayLeaveOutRoiAndScales) {
  for (const std::int64_t opset : {11, 12}) {
    for (const bool has_sizes : {false, true}) {
      Model model(opset);
      model.input("x", {2}).output("y").floats("scales", {2}).ints("sizes", {4});
      const std::vector<std::string> inputs = has_sizes
                                                  ? std::vector<std::string>{"x", "", "", "sizes"}
                                                  : std::vector<std::string>{"x", "", "scales"};
      auto& resize = model.node("Resize", inputs, {"y"});
      set(resize, "coordinate_transformation_mode", std::string("asymmetric"));
      set(resize, "nearest_mode", std::string("floor"));
      EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({1, 2})}}),
                Tensor::vector<float>({1, 1, 2, 2}))
          << opset;
    }
  }
}

TEST(OpsetTest, Broadcasting6PutsTheSecondOperandAtAnAxis) {
  Model model(6);
  model.input("x", {2, 3, 2}).input("b", {3}).output("y");
  auto& add = model.node("Add", {"x", "b"}, {"y"});
  set(add, "broadcast", std::int64_t{1});
  set(add, "axis", std::int64_t{1});
  EXPECT_EQ(run(model, {{"x", Tensor(graph::DataType::kFloat32, {2, 3, 2})},
                        {"b", Tensor::vector<float>({1, 2, 3})}}),
            Tensor::of<float>({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
}

TEST(OpsetTest, Broadcasting6PutsSeveralDimensionsAtAnAxis) {
  Model model(6);
  model.input("x", {2, 1, 2}).input("b", {2, 1}).output("y");
  auto& mul = model.node("Mul", {"x", "b"}, {"y"});
  set(mul, "broadcast", std::int64_t{1});
  set(mul, "axis", std::int64_t{0});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4})},
                        {"b", Tensor::of<float>({2, 1}, {10, 100})}}),
            Tensor::of<float>({2, 1, 2}, {10, 20, 300, 400}));
}

TEST(OpsetTest, Comparisons6BroadcastTheSameWay) {
  Model model(6);
  model.input("x", {2, 2}).input("b", {2}).output("y", TensorProto::BOOL);
  auto& less = model.node("Less", {"x", "b"}, {"y"});
  set(less, "broadcast", std::int64_t{1});
  set(less, "axis", std::int64_t{0});
  const Tensor y = run(model, {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                               {"b", Tensor::vector<float>({2, 4})}});
  EXPECT_THAT(y.data<bool>(), ::testing::ElementsAre(true, false, true, false));
}

TEST(OpsetTest, AnAxis6ThatDoesNotFitIsAnError) {
  Model model(6);
  model.input("x", {2, 2}).input("b", {2}).output("y");
  auto& add = model.node("Add", {"x", "b"}, {"y"});
  set(add, "broadcast", std::int64_t{1});
  set(add, "axis", std::int64_t{2});
  EXPECT_EQ(
      error_of([&] { model.import(); }),
      "test.onnx: node 'y' (Add): axis 2 does not align an operand of rank 1 with one of rank 2");
}

TEST(OpsetTest, AnOperandOfBroadcasting6ThatIsLeftOutIsAnError) {
  Model model(6);
  model.input("x", {2, 2}).output("y");
  auto& add = model.node("Add", {"x", ""}, {"y"});
  set(add, "broadcast", std::int64_t{1});
  set(add, "axis", std::int64_t{1});
  EXPECT_THAT(error_of([&] { model.import(); }),
              HasSubstr("node 'y' (Add): cannot be converted from opset 7 to 17"));
}

TEST(OpsetTest, TheSlopeOfPRelu6GoesAlongTheChannels) {
  Model model(6);
  model.input("x", {1, 2, 2, 2}).output("y").floats("slope", {2, 3});
  model.node("PRelu", {"x", "slope"}, {"y"});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 2, 2, 2}, {-1, -1, 1, -1, -1, 1, -1, -1})}}),
            Tensor::of<float>({1, 2, 2, 2}, {-2, -2, 1, -2, -3, 1, -3, -3}));
}

TEST(OpsetTest, Gemm6BroadcastsItsBias) {
  Model model(6);
  model.input("a", {1, 2}).input("b", {2, 2}).output("y").floats("c", {1, 2});
  set(model.node("Gemm", {"a", "b", "c"}, {"y"}), "broadcast", std::int64_t{1});
  EXPECT_EQ(run(model, {{"a", Tensor::of<float>({1, 2}, {1, 1})},
                        {"b", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}}),
            Tensor::of<float>({1, 2}, {5, 8}));
}

TEST(OpsetTest, AxesAndSplitsBecomeInputs) {
  Model model(11);
  model.input("x", {1, 4, 1}).output("y");
  set(model.node("Squeeze", {"x"}, {"s"}), "axes", Ints{0, 2});
  auto& split = model.node("Split", {"s"}, {"a", "b"});
  set(split, "split", Ints{1, 3});
  auto& sum = model.node("ReduceSum", {"b"}, {"c"});
  set(sum, "axes", Ints{0});
  model.node("Add", {"a", "c"}, {"y"});
  EXPECT_EQ(run(model, {{"x", counting({1, 4, 1})}}), Tensor::vector<float>({6}));
}

TEST(OpsetTest, SliceBefore10HasItsRangeAsAttributes) {
  Model model(9);
  model.input("x", {2, 3}).output("y");
  auto& slice = model.node("Slice", {"x"}, {"y"});
  set(slice, "starts", Ints{1});
  set(slice, "ends", Ints{3});
  set(slice, "axes", Ints{1});
  EXPECT_EQ(run(model, {{"x", counting({2, 3})}}), Tensor::of<float>({2, 2}, {1, 2, 4, 5}));
}

TEST(OpsetTest, DropoutBefore12PassesItsInputOn) {
  for (const std::int64_t opset : {7, 10, 11}) {
    Model model(opset);
    model.input("x", {2}).output("y");
    set(model.node("Dropout", {"x"}, {"y"}), "ratio", 0.75F);
    EXPECT_EQ(run(model, {{"x", counting({2})}}), counting({2}));
  }
}

TEST(OpsetTest, BatchNormalizationBefore9IsSpatial) {
  const auto network = [](std::int64_t spatial) {
    Model model(7);
    model.input("x", {1, 2}).output("y");
    model.floats("s", {1, 2}).floats("b", {0, 1}).floats("m", {1, 1}).floats("v", {1, 1});
    auto& norm = model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"});
    set(norm, "epsilon", 0.0F);
    set(norm, "spatial", spatial);
    return model;
  };
  EXPECT_EQ(run(network(1), {{"x", Tensor::of<float>({1, 2}, {3, 3})}}),
            Tensor::of<float>({1, 2}, {2, 5}));
  EXPECT_THAT(error_of([&] { network(0).import(); }),
              HasSubstr("node 'y' (BatchNormalization): cannot be converted from opset 7 to 17"));
}

TEST(OpsetTest, RecurrentNodes6AreThoseOfLaterOpsets) {
  const auto network = [](std::int64_t opset) {
    Model model(opset);
    model.input("x", {2, 1, 1}).output("y");
    for (const char* name : {"w", "r"}) {
      model.initializer(name, TensorProto::FLOAT, {1, 1, 1}).add_float_data(0.5F);
    }
    auto& rnn = model.node("RNN", {"x", "w", "r"}, {"y", ""});
    set(rnn, "hidden_size", std::int64_t{1});
    if (opset == 6) set(rnn, "output_sequence", std::int64_t{1});
    return model;
  };
  const reference::NamedTensors inputs = {{"x", Tensor::of<float>({2, 1, 1}, {1, -1})}};
  const Tensor y = run(network(6), inputs);
  const double first = std::tanh(0.5);
  EXPECT_NEAR(static_cast<double>(y.data<float>()[0]), first, 1e-6);
  EXPECT_NEAR(static_cast<double>(y.data<float>()[1]), std::tanh(-0.5 + 0.5 * first), 1e-6);
  EXPECT_EQ(y, run(network(17), inputs));
}

TEST(OpsetTest, OperatorsThatHaveNotChangedAreReadFromOpset1) {
  Model model(1);
  model.input("x", {1, 1, 1, 2}).output("y");
  model.node("GlobalAveragePool", {"x"}, {"y"});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 1, 1, 2}, {1, 2})}}),
            Tensor::of<float>({1, 1, 1, 1}, {1.5F}));
  Model old(5);
  old.input("x", {2}).output("y");
  old.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(error_of([&] { old.import(); }),
            "test.onnx: node 'y' (Relu): its definition in opset 5 is not supported");
}

TEST(OpsetTest, AnOperatorThatItsOpsetHasNotIsAnError) {
  Model model(9);
  model.input("x", {2}).output("y");
  model.node("HardSwish", {"x"}, {"y"});
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: node 'y' (HardSwish): opset 9 has no such operator");
}

TEST(OpsetTest, ANodeThatBreaksTheRulesOfItsOpsetIsAnError) {
  Model model(9);
  model.input("x", {2}).output("y");
  model.node("Slice", {"x"}, {"y"}).set_name("cut");
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: node 'cut' (Slice): cannot be converted from opset 9 to 17: Required "
            "attribute 'ends' is missing.");
}

}  // namespace
}  // namespace weft::onnx_io
