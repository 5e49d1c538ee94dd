// Operators that are built of others must give a one-line error that names the user's node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::Dim;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;

using Ints = std::vector<std::int64_t>;
using Change = std::function<void(NodeProto&)>;

/// The text after the label, for a node 'n' with the input x of this shape.
std::string error(const std::string& op, const std::vector<Dim>& shape, const Change& change = {},
                  std::int64_t opset = 24, TensorProto::DataType type = TensorProto::FLOAT) {
  Model model(opset);
  model.input("x", shape, type).output("y");
  auto& node = model.node(op, {"x"}, {"y"});
  node.set_name("n");
  if (change) change(node);
  const std::string text = error_of([&] { model.import(); });
  const std::string where = "test.onnx: node 'n' (" + op + "): ";
  EXPECT_THAT(text, StartsWith(where));
  return text.substr(std::min(text.size(), where.size()));
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

Change integer(const std::string& name, std::int64_t value) {
  return [=](NodeProto& node) { set(node, name, value); };
}
Change text(const std::string& name, const std::string& value) {
  return [=](NodeProto& node) { set(node, name, value); };
}

TEST(BadCompositeTest, NamesAnUnknownAttributeOrTooManyInputs) {
  EXPECT_EQ(error("Mish", {2}, integer("alpha", 1)), "has no attribute 'alpha'");
  EXPECT_EQ(error("Softsign", {2}, integer("alpha", 1)), "has no attribute 'alpha'");
  EXPECT_EQ(error("Mish", {2}, [](auto& node) { node.add_input("x"); }), "2 inputs, not 1");
  EXPECT_THAT(error("Softsign", {2}, [](auto& node) { node.add_input("x"); }),
              HasSubstr("inputs, not"));
  EXPECT_EQ(error("Mish", {2}, [](auto& node) { node.set_input(0, ""); }), "input 0 is missing");
  EXPECT_EQ(error("Mish", {2}, [](auto& node) { node.add_output("z"); }), "needs one output");
  EXPECT_EQ(error("DepthToSpace", {1, 4, 1, 1}, text("mode", "DCR"), 10),
            "has no attribute 'mode'");
}

TEST(BadCompositeTest, NamesATypeThatTheFormulaLacks) {
  EXPECT_EQ(error("Mish", {2}, {}, 24, TensorProto::INT32),
            "input 0: type int32 is not one of float16, float32, float64");
  EXPECT_THAT(error("ReduceLogSum", {2}, {}, 17, TensorProto::INT32), HasSubstr("(Log)"));
}

TEST(BadCompositeTest, NamesAWrongAttribute) {
  EXPECT_THAT(error("Gelu", {2}, text("approximate", "erf")), HasSubstr("neither none nor tanh"));
  EXPECT_THAT(error("Gelu", {2}, integer("approximate", 1)), HasSubstr("approximate"));
  const auto alpha = [](float value) {
    return [=](NodeProto& node) { set(node, "alpha", value); };
  };
  EXPECT_EQ(error("Celu", {2}, alpha(0)), "attribute alpha: must be above 0, not 0");
  EXPECT_THAT(error("Celu", {2}, alpha(-1)), HasSubstr("must be above 0"));
  EXPECT_THAT(error("Hardmax", {2}, integer("axis", 1)), HasSubstr("axis"));
  EXPECT_THAT(error("Hardmax", {2}, integer("axis", -kHuge)), HasSubstr("axis"));
}

TEST(BadCompositeTest, NamesBlocksThatDoNotFit) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-2}, kHuge}) {
    EXPECT_THAT(error("DepthToSpace", {1, 4, 1, 1}, integer("blocksize", size)),
                HasSubstr("attribute blocksize: must be 1 to 1048576"));
    EXPECT_THAT(error("SpaceToDepth", {1, 4, 4, 4}, integer("blocksize", size)),
                HasSubstr("attribute blocksize: must be 1 to 1048576"));
  }
  EXPECT_EQ(error("DepthToSpace", {1, 6, 1, 1}, integer("blocksize", 2)),
            "the number of channels 6 is not divisible by 4");
  EXPECT_EQ(error("SpaceToDepth", {1, 1, 4, 3}, integer("blocksize", 2)),
            "the width 3 is not divisible by 2");
  EXPECT_EQ(error("SpaceToDepth", {1, 4, 3}, integer("blocksize", 2)),
            "input 0: shape 1x4x3 does not have 4 dimensions");
  EXPECT_THAT(error("DepthToSpace", {1, 4, 1, 1},
                    [](auto& node) {
                      set(node, "blocksize", std::int64_t{2});
                      set(node, "mode", std::string("RCD"));
                    }),
              HasSubstr("attribute mode: 'RCD' is neither DCR nor CRD"));
}

TEST(BadCompositeTest, NamesTrianglesThatCannotBeCut) {
  EXPECT_EQ(error("Trilu", {2}), "input 0: needs at least 2 dimensions");
  Model model(14);
  model.input("x", {2, 2}).input("k", {}, TensorProto::INT64).output("y");
  model.node("Trilu", {"x", "k"}, {"y"});
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: node 'y' (Trilu): input 1 (k): its elements must be constant; give them "
            "with --input NAME=FILE");
}

TEST(BadCompositeTest, SmallFilesCannotAskForLargeConstants) {
  const std::int64_t large = std::int64_t{1} << 40;
  constexpr const char* kWhy =
      "an extent of 1099511627776 is too large, at most 4194304 is supported";
  EXPECT_EQ(error("Trilu", {1, large}), kWhy);
  EXPECT_EQ(error("Hardmax", {1, large}), kWhy);
  EXPECT_THAT(error("GroupNormalization", {1, 2 * large, 1},
                    [&](auto& node) {
                      node.add_input("x");
                      node.add_input("x");
                      set(node, "num_groups", large);
                    }),
              HasSubstr("input 1 (scale): shape"));
  Model model(19);
  model.input("x", {2}).output("y").ints("pads", {large - 2, 0});
  set(model.node("Pad", {"x", "pads"}, {"y"}), "mode", std::string("wrap"));
  EXPECT_EQ(error_of([&] { model.import(); }), "test.onnx: node 'y' (Pad): " + std::string(kWhy));
}

TEST(BadCompositeTest, MasksOfLargeMatricesAreNotMadeWhileReading) {
  Model model(14);
  model.input("x", {1 << 22, 1 << 22}).output("y");
  model.node("Trilu", {"x"}, {"y"});
  const graph::Graph graph = model.import();  // a mask would take 16 TB
  EXPECT_EQ(graph.type(graph.outputs[0].value).shape, (graph::Shape{1 << 22, 1 << 22}));
}

TEST(BadCompositeTest, NamesGroupsThatDoNotDivideTheChannels) {
  for (const std::int64_t groups : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, kHuge}) {
    EXPECT_THAT(error("GroupNormalization", {1, 4, 2},
                      [&](auto& node) {
                        node.add_input("x");
                        node.add_input("x");
                        set(node, "num_groups", groups);
                      }),
                HasSubstr("does not divide 4 channels"))
        << groups;
  }
}

TEST(BadCompositeTest, NamesRotationsThatDoNotFit) {
  const auto rotary = [](const std::vector<Dim>& shape, const std::vector<Dim>& table,
                         const std::string& attribute, std::int64_t value) {
    Model model(23);
    model.input("x", shape).input("t", table).output("y");
    auto& node = model.node("RotaryEmbedding", {"x", "t", "t"}, {"y"});
    if (!attribute.empty()) set(node, attribute, value);
    return error_of([&] { model.import(); });
  };
  EXPECT_THAT(rotary({1, 2, 8}, {1, 2, 2}, "", 0), HasSubstr("num_heads: 0 does not divide"));
  EXPECT_THAT(rotary({1, 2}, {1, 2, 2}, "", 0), HasSubstr("does not have 3 or 4 dimensions"));
  EXPECT_THAT(rotary({1, 1, 2, 5}, {1, 2, 2}, "", 0), HasSubstr("5 of 5 elements cannot turn"));
  EXPECT_THAT(rotary({1, 1, 2, 4}, {1, 2, 2}, "rotary_embedding_dim", 6),
              HasSubstr("6 of 4 elements cannot turn"));
  EXPECT_THAT(rotary({1, 1, 2, 4}, {1, 2, 3}, "", 0),
              HasSubstr("input 1 (cos_cache): 1x2x3 for these positions, not 1x2x2"));
}

}  // namespace
}  // namespace weft::onnx_io
