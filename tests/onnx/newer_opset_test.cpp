// Nodes of opsets after 17 must follow the definition in their opset. Expected elements are worked
// out by hand from that definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/graph/builder/check.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Op;
using graph::Shape;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::ElementsAre;
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

std::string error_of_model(const Model& model) {
  return error_of([&] { model.import({.evaluate = reference::evaluate}); });
}

Tensor counting(const Shape& shape) {
  Floats values(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::of(shape, values);
}

TEST(NewerOpsetTest, ReductionsFrom18OnHaveTheirAxesAsAnInput) {
  struct Case {
    std::string op;
    Floats expected;
  };
  const std::vector<Case> cases = {{"ReduceMean", {1, 4}},
                                   {"ReduceMax", {2, 5}},
                                   {"ReduceMin", {0, 3}},
                                   {"ReduceL1", {3, 12}},
                                   {"ReduceSumSquare", {5, 50}}};
  for (const auto& [op, expected] : cases) {
    for (const std::int64_t axis : {1, -1}) {
      Model model(18);
      model.input("x", {2, 3}).output("y").ints("axes", {axis});
      set(model.node(op, {"x", "axes"}, {"y"}), "keepdims", std::int64_t{0});
      EXPECT_EQ(run(model, {{"x", counting({2, 3})}}), Tensor::vector<float>(expected)) << op;
    }
  }
}

TEST(NewerOpsetTest, ReductionsWithoutAxesReduceAllOrNone) {
  const auto network = [](const std::string& op, bool empty_list, std::int64_t noop) {
    Model model(18);
    model.input("x", {2, 2}).output("y").ints("axes", {});
    const std::vector<std::string> inputs =
        empty_list ? std::vector<std::string>{"x", "axes"} : std::vector<std::string>{"x"};
    set(model.node(op, inputs, {"y"}), "noop_with_empty_axes", noop);
    return model;
  };
  const reference::NamedTensors inputs = {{"x", Tensor::of<float>({2, 2}, {1, -2, 3, -4})}};
  for (const bool empty_list : {false, true}) {
    EXPECT_EQ(run(network("ReduceMax", empty_list, 0), inputs), Tensor::of<float>({1, 1}, {3}));
    EXPECT_EQ(run(network("ReduceMax", empty_list, 1), inputs), inputs.at("x"));
    EXPECT_EQ(run(network("ReduceL1", empty_list, 0), inputs), Tensor::of<float>({1, 1}, {10}));
    EXPECT_EQ(run(network("ReduceL1", empty_list, 1), inputs),
              Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
    EXPECT_EQ(run(network("ReduceSumSquare", empty_list, 1), inputs),
              Tensor::of<float>({2, 2}, {1, 4, 9, 16}));
    EXPECT_EQ(run(network("ReduceLogSumExp", empty_list, 1), inputs), inputs.at("x"));
  }
}

TEST(NewerOpsetTest, AxesMayBeComputedFromShapes) {
  Model model(18);
  model.input("x", {2, 3}).output("y").ints("one", {1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Shape", {"s"}, {"rank"});  // [2]
  model.node("Sub", {"rank", "one"}, {"axes"});
  set(model.node("ReduceMax", {"x", "axes"}, {"y"}), "keepdims", std::int64_t{0});
  EXPECT_EQ(run(model, {{"x", counting({2, 3})}}), Tensor::vector<float>({2, 5}));
}

TEST(NewerOpsetTest, TruthValuesHaveAMaximumFrom20On) {
  for (const std::string op : {"ReduceMax", "ReduceMin"}) {
    Model model(20);
    model.input("x", {2, 2}, TensorProto::BOOL).output("y", TensorProto::BOOL).ints("axes", {1});
    set(model.node(op, {"x", "axes"}, {"y"}), "keepdims", std::int64_t{0});
    const Tensor y = run(model, {{"x", Tensor::of<bool>({2, 2}, {true, false, true, true})}});
    EXPECT_THAT(y.data<bool>(), ElementsAre(op == "ReduceMax", true)) << op;
    model.proto().mutable_opset_import(0)->set_version(18);
    EXPECT_THAT(error_of_model(model), HasSubstr("type bool is not one of"));
  }
}

TEST(NewerOpsetTest, SplitsLastPartMayBeSmaller) {
  struct Case {
    std::int64_t extent;
    std::vector<std::int64_t> parts;
  };
  for (const auto& [extent, parts] :
       std::vector<Case>{{6, {2, 2, 2}}, {7, {3, 3, 1}}, {4, {2, 2, 0}}}) {
    Model model(18);
    model.input("x", {1, extent}).output("a").output("b").output("c");
    auto& split = model.node("Split", {"x"}, {"a", "b", "c"});
    set(split, "axis", std::int64_t{-1});
    set(split, "num_outputs", std::int64_t{3});
    const graph::Graph graph = model.import({.evaluate = reference::evaluate});
    const auto outputs = reference::run_graph(graph, {{"x", counting({1, extent})}});
    float next = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Tensor& part = outputs.at(std::string(1, static_cast<char>('a' + i)));
      ASSERT_EQ(part.shape(), (Shape{1, parts[i]})) << extent;
      for (const float element : part.data<float>()) EXPECT_EQ(element, next++);
    }
  }
}

TEST(NewerOpsetTest, PadMayNameItsAxes) {
  Model model(18);
  model.input("x", {2, 1, 2}).output("y").ints("pads", {1, 0, 0, 1}).ints("axes", {-1, 1});
  model.node("Pad", {"x", "pads", "", "axes"}, {"y"});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4})}}),
            Tensor::of<float>({2, 2, 3}, {0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0}));
}

TEST(NewerOpsetTest, PadMayWrapAroundFrom19On) {
  Model model(19);
  model.input("x", {2, 3}).output("y").ints("pads", {1, 2, 0, 4});
  set(model.node("Pad", {"x", "pads"}, {"y"}), "mode", std::string("wrap"));
  const Floats row1 = {4, 5, 3, 4, 5, 3, 4, 5, 3};  // 3 4 5 with 2 before and 4 after
  const Floats row0 = {1, 2, 0, 1, 2, 0, 1, 2, 0};
  Floats expected = row1;
  for (const Floats& row : {row0, row1}) expected.insert(expected.end(), row.begin(), row.end());
  EXPECT_EQ(run(model, {{"x", counting({2, 3})}}), Tensor::of<float>({3, 9}, expected));
  model.proto().mutable_opset_import(0)->set_version(18);
  EXPECT_THAT(error_of_model(model), HasSubstr("node 'y' (Pad): attribute mode"));
}

Model resizing(std::int64_t opset) {
  Model model(opset);
  model.input("x", {1, 1, 2, 2}).output("y").ints("sizes", {4, 6}).floats("scales", {2, 3});
  return model;
}

TEST(NewerOpsetTest, ResizeMayNameItsAxes) {
  const Tensor expected = Tensor::of<float>(
      {1, 1, 4, 6}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4});
  for (const std::string target : {"scales", "sizes"}) {
    for (const bool swapped : {false, true}) {
      Model model = resizing(18);
      if (swapped) model.ints("swapped_sizes", {6, 4}).floats("swapped_scales", {3, 2});
      const std::string name = swapped ? "swapped_" + target : target;
      const std::vector<std::string> inputs = target == "scales"
                                                  ? std::vector<std::string>{"x", "", name}
                                                  : std::vector<std::string>{"x", "", "", name};
      set(model.node("Resize", inputs, {"y"}), "axes", swapped ? Ints{-1, 2} : Ints{2, 3});
      EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4})}}), expected)
          << target;
    }
  }
}

TEST(NewerOpsetTest, ResizeMayKeepTheAspectRatio) {
  struct Case {
    std::string policy;
    Shape expected;
  };
  const std::vector<Case> cases = {
      {"stretch", {1, 1, 4, 6}}, {"not_larger", {1, 1, 4, 4}}, {"not_smaller", {1, 1, 6, 6}}};
  for (const auto& [policy, expected] : cases) {
    Model model = resizing(18);
    auto& resize = model.node("Resize", {"x", "", "", "sizes"}, {"y"});
    set(resize, "axes", Ints{2, 3});
    set(resize, "keep_aspect_ratio_policy", policy);
    EXPECT_EQ(run(model, {{"x", counting({1, 1, 2, 2})}}).shape(), expected) << policy;
  }
}

TEST(NewerOpsetTest, AnAspectRatioThatRoundsSizesGivesScales) {
  // The scale is 5 / 4. The sizes are 5 and 2.5, rounded up to 3: floor(2 * 1.25) is only 2.
  const auto network = [](std::int64_t width) {
    Model model(18);
    model.input("x", {4, width}).output("y").ints("sizes", {5, 100});
    set(model.node("Resize", {"x", "", "", "sizes"}, {"y"}), "keep_aspect_ratio_policy",
        std::string("not_larger"));
    return model;
  };
  EXPECT_THAT(error_of_model(network(2)),
              HasSubstr("node 'y' (Resize): attribute keep_aspect_ratio_policy: the scale 1.25 "
                        "rounds sizes up"));
  // 5 * 1.25 = 6.25, rounded down to 6. Element 2 is at 2.5 / 1.25 - 0.5 = 1.5, which rounds down.
  // The scale 6 / 5 would make it 1.58.
  const Tensor y = run(network(5), {{"x", counting({4, 5})}});
  EXPECT_EQ(y.shape(), (Shape{5, 6}));
  EXPECT_EQ(y.data<float>()[2], 1);
}

TEST(NewerOpsetTest, AntialiasingMattersOnlyForSmallerImages) {
  const auto network = [](std::int64_t size, const std::string& mode) {
    Model model(18);
    model.input("x", {4}).output("y").ints("sizes", {size});
    auto& resize = model.node("Resize", {"x", "", "", "sizes"}, {"y"});
    set(resize, "antialias", std::int64_t{1});
    set(resize, "mode", mode);
    return model;
  };
  EXPECT_NO_THROW(network(8, "linear").import());
  EXPECT_NO_THROW(network(2, "nearest").import());
  EXPECT_EQ(error_of_model(network(2, "linear")),
            "test.onnx: node 'y' (Resize): attribute antialias: a filter for smaller images is not "
            "supported");
}

TEST(NewerOpsetTest, HalfPixelSymmetricEqualsHalfPixelWhereNoSizeIsRounded) {
  const auto network = [](float scale) {
    Model model(19);
    model.input("x", {4}).output("y").floats("scales", {scale});
    auto& resize = model.node("Resize", {"x", "", "scales"}, {"y"});
    set(resize, "coordinate_transformation_mode", std::string("half_pixel_symmetric"));
    set(resize, "mode", std::string("linear"));
    return model;
  };
  // Coordinates (i + 0.5) / 1.5 - 0.5: -1/6, 1/2, 7/6, 11/6, 5/2, 19/6.
  const Tensor y = run(network(1.5F), {{"x", Tensor::vector<float>({0, 6, 12, 18})}});
  EXPECT_THAT(y.data<float>(),
              ::testing::Pointwise(::testing::FloatNear(1e-5F), Floats{0, 3, 7, 11, 15, 18}));
  EXPECT_THAT(error_of_model(network(1.3F)), HasSubstr("half_pixel_symmetric is supported only"));
}

TEST(NewerOpsetTest, AveragePoolsDilationsMustBe1) {
  const auto network = [](const Ints& dilations) {
    Model model(19);
    model.input("x", {1, 1, 3}).output("y");
    auto& pool = model.node("AveragePool", {"x"}, {"y"});
    set(pool, "kernel_shape", Ints{2});
    set(pool, "dilations", dilations);
    return model;
  };
  EXPECT_EQ(run(network({1}), {{"x", Tensor::of<float>({1, 1, 3}, {1, 3, 5})}}),
            Tensor::of<float>({1, 1, 2}, {2, 4}));
  EXPECT_EQ(error_of_model(network({2})),
            "test.onnx: node 'y' (AveragePool): attribute dilations: only 1 is supported");
}

TEST(NewerOpsetTest, CastsMayMentionFloatsOf8Bits) {
  Model model(25);
  model.input("x", {2}).output("y", TensorProto::INT32);
  auto& cast = model.node("Cast", {"x"}, {"y"});
  set(cast, "to", std::int64_t{TensorProto::INT32});
  set(cast, "saturate", std::int64_t{0});
  set(cast, "round_mode", std::string("down"));
  EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({1.5F, -2})}}),
            Tensor::vector<std::int32_t>({1, -2}));
  model.proto().mutable_opset_import(0)->set_version(19);
  EXPECT_EQ(error_of_model(model), "test.onnx: node 'y' (Cast): has no attribute 'round_mode'");
}

TEST(NewerOpsetTest, QuantizeLinear21SaysItsTypeWithoutAZeroPoint) {
  Model model(21);
  model.input("x", {2}).output("y", TensorProto::INT8);
  model.initializer("s", TensorProto::FLOAT, {}).add_float_data(0.5F);
  auto& quantize = model.node("QuantizeLinear", {"x", "s"}, {"y"});
  set(quantize, "output_dtype", std::int64_t{TensorProto::INT8});
  set(quantize, "block_size", std::int64_t{0});
  EXPECT_EQ(run(model, {{"x", Tensor::vector<float>({-1, 100})}}),
            Tensor::vector<std::int8_t>({-2, 127}));
}

TEST(NewerOpsetTest, BlocksWithScalesOfTheirOwnAreRefused) {
  Model model(21);
  model.input("x", {2}, TensorProto::INT8).output("y");
  model.initializer("s", TensorProto::FLOAT, {}).add_float_data(0.5F);
  set(model.node("DequantizeLinear", {"x", "s"}, {"y"}), "block_size", std::int64_t{32});
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'y' (DequantizeLinear): attribute block_size: scales for blocks of 32 "
            "elements are not supported");
}

TEST(NewerOpsetTest, OperatorsThatOnlyTakeMoreTypesAreReadAsBefore) {
  Model model(25);
  model.proto().set_ir_version(13);
  model.input("x", {1, 2}).output("y").ints("shape", {2, 1});
  model.node("Identity", {"x"}, {"a"});
  model.node("Reshape", {"a", "shape"}, {"b"});
  set(model.node("Transpose", {"b"}, {"c"}), "perm", Ints{1, 0});
  model.node("Relu", {"c"}, {"y"});
  EXPECT_EQ(run(model, {{"x", Tensor::of<float>({1, 2}, {-1, 2})}}),
            Tensor::of<float>({1, 2}, {0, 2}));
}

TEST(NewerOpsetTest, RefusesAnOpsetThatMayHaveChangedEveryOperator) {
  Model model(99);
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"a"});
  model.node("Neg", {"a"}, {"y"});
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'a' (Relu): opset 99 is newer than 27, the last that Weft knows; "
            "export it as 27 or older; 1 more node cannot be imported either: Neg");
}

TEST(NewerOpsetTest, NamesTheNodeWhoseAxesAreWrong) {
  const auto error = [](const std::string& op, const Ints& axes) {
    Model model(18);
    model.input("x", {2, 3}).output("y").ints("axes", axes);
    model.node(op, {"x", "axes"}, {"y"}).set_name("n");
    return error_of_model(model);
  };
  for (const std::string op : {"ReduceMean", "ReduceL2"}) {
    const std::string where = "test.onnx: node 'n' (" + op + "): ";
    EXPECT_THAT(error(op, {2}), HasSubstr(where)) << op;
    EXPECT_THAT(error(op, {0, -2}), HasSubstr(where)) << op;
    EXPECT_THAT(error(op, {std::numeric_limits<std::int64_t>::min()}), HasSubstr(where)) << op;
  }
  Model open(18);
  open.input("x", {2, 3}).input("axes", {1}, TensorProto::INT64).output("y");
  open.node("ReduceMean", {"x", "axes"}, {"y"});
  EXPECT_EQ(error_of_model(open),
            "test.onnx: node 'y' (ReduceMean): input 1 (axes): its elements must be constant; give "
            "them with --input NAME=FILE");
}

TEST(NewerOpsetTest, AxesAreTakenFromTheValueOfAnInput) {
  Model model(18);
  model.input("x", {2, 3}).input("axes", {1}, TensorProto::INT64).output("y");
  set(model.node("ReduceMax", {"x", "axes"}, {"y"}), "keepdims", std::int64_t{0});
  const graph::Graph graph = model.import(
      {.values = {{"axes", Tensor::vector<std::int64_t>({1})}}, .evaluate = reference::evaluate});
  EXPECT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(reference::run_graph(graph, {{"x", counting({2, 3})}}).at("y"),
            Tensor::vector<float>({2, 5}));
}

TEST(NewerOpsetTest, RefusesSplitsThatNobodyCanMake) {
  const auto error = [](std::int64_t parts, bool with_sizes) {
    Model model(18);
    model.input("x", {2}).output("a").output("b").ints("s", {1, 1});
    const std::vector<std::string> inputs =
        with_sizes ? std::vector<std::string>{"x", "s"} : std::vector<std::string>{"x"};
    auto& split = model.node("Split", inputs, {"a", "b"});
    if (parts != -1) set(split, "num_outputs", parts);
    return error_of_model(model);
  };
  const std::string where = "test.onnx: node 'a' (Split): ";
  EXPECT_EQ(error(0, false), where + "attribute num_outputs: must be at least 1, not 0");
  EXPECT_EQ(error(3, false), where + "attribute num_outputs is 3, but the node has 2 outputs");
  EXPECT_EQ(error(2, true), where + "has both the input split and the attribute num_outputs");
  EXPECT_EQ(error(-1, false), where + "needs either the input split or the attribute num_outputs");
}

TEST(NewerOpsetTest, RefusesPadsAndSizesThatDoNotFitTheirAxes) {
  Model pad(18);
  pad.input("x", {2, 2}).output("y").ints("pads", {1, 1, 1}).ints("axes", {0});
  pad.node("Pad", {"x", "pads", "", "axes"}, {"y"});
  EXPECT_EQ(error_of_model(pad), "test.onnx: node 'y' (Pad): input 1 (pads): 3 numbers for 1 axes");
  Model resize(18);
  resize.input("x", {2, 2}).output("y").ints("sizes", {1, 1});
  set(resize.node("Resize", {"x", "", "", "sizes"}, {"y"}), "axes", Ints{0});
  EXPECT_EQ(error_of_model(resize),
            "test.onnx: node 'y' (Resize): input 3 (sizes): 2 sizes for 1 axes");
}

}  // namespace
}  // namespace weft::onnx_io
