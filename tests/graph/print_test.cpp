// Checks the text form of graphs.
#include <gtest/gtest.h>

#include "compiler/graph/builder/builder.h"

namespace weft::graph {
namespace {

TEST(PrintTest, TextHasOneLineForEachInputNodeAndOutput) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {1, 3, 224, 224}});
  const ValueId w = builder.constant(Tensor(DataType::kFloat32, {64, 3, 7, 7}), "w");
  const ValueId conv = builder.add(
      Op::kConv, {x, w}, {{"strides", Shape{2, 2}}, {"pads", Shape{3, 3, 3, 3}}}, "conv1");
  const ValueId clip = builder.add(
      Op::kClip, {conv, kNoValue, builder.constant(Tensor::scalar(6.0F), "six")}, {}, "clip");
  const auto parts =
      builder.add(Op::kSplit, {clip}, {{"axis", std::int64_t{1}}}, "split", {"left", ""});
  builder.output(parts[0], "y");
  EXPECT_EQ(to_text(builder.graph()),
            "graph net {\n"
            "  input %x : float32 1x3x224x224\n"
            "  %conv1 = Conv(%x, %w) {pads=[3,3,3,3], strides=[2,2]} : float32 1x64x112x112\n"
            "  %clip = Clip(%conv1, _, %six) : float32 1x64x112x112\n"
            "  %left, _ = Split(%clip) {axis=1} : float32 1x32x112x112, _\n"
            "  output y = %left : float32 1x32x112x112\n"
            "}\n");
}

TEST(PrintTest, TextShowsAttributesOfEveryKind) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {1, 1, 2}});
  const ValueId w = builder.input("w", {DataType::kFloat32, {1, 1, 2}});
  const ValueId r = builder.input("r", {DataType::kFloat32, {1, 1, 1}});
  builder.add(Op::kRnn, {x, w, r},
              {{"activations", std::vector<std::string>{"Elu"}},
               {"activation_alpha", std::vector<float>{0.5F}},
               {"clip", 2.5F},
               {"direction", "reverse"}},
              "rnn");
  const ValueId shape = builder.constant(Tensor::vector<std::int64_t>({2}), "s");
  builder.add(Op::kConstantOfShape, {shape}, {{"value", Tensor::vector<float>({1})}}, "fill");
  const std::string text = to_text(builder.graph());
  EXPECT_NE(text.find("RNN(%x, %w, %r) {activation_alpha=[0.5], activations=[\"Elu\"], clip=2.5, "
                      "direction=\"reverse\"} : float32 1x1x1x1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("ConstantOfShape(%s) {value=<float32 1>}"), std::string::npos) << text;
}

TEST(PrintTest, DotDrawsNodesAndEdgesWithShapes) {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2, 3}});
  const ValueId w = builder.constant(Tensor(DataType::kFloat32, {3, 4}), "w");
  builder.output(builder.add(Op::kMatMul, {x, w}, {}, "product"), "y");
  EXPECT_EQ(to_dot(builder.graph()),
            "digraph \"net\" {\n"
            "  value0 [label=\"x\\nfloat32 2x3\", shape=ellipse];\n"
            "  node0 [label=\"MatMul\\nproduct\\nfloat32 2x4\", shape=box];\n"
            "  value0 -> node0 [label=\"2x3\"];\n"
            "  output0 [label=\"y\", shape=ellipse];\n"
            "  node0 -> output0 [label=\"2x4\"];\n"
            "}\n");
}

TEST(PrintTest, DotEscapesNames) {
  Builder builder("a \"net\"\\");
  const ValueId x = builder.input("x\"];\n}\\", {DataType::kFloat32, {2}});
  builder.output(x, "y");
  const std::string dot = to_dot(builder.graph());
  EXPECT_NE(dot.find("digraph \"a \\\"net\\\"\\\\\" {\n"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"x\\\"];?}\\\\\\nfloat32 2\""), std::string::npos) << dot;
}

TEST(PrintTest, NamesStayOnTheirLine) {
  Builder builder("n\net");
  const ValueId x = builder.input("x\r\x1B[2J", {DataType::kFloat32, {2}});
  builder.output(builder.add(Op::kRelu, {x}, {}, "a\nb"), "y\t");
  EXPECT_EQ(to_text(builder.graph()),
            "graph n?et {\n"
            "  input %x??[2J : float32 2\n"
            "  %a?b = Relu(%x??[2J) : float32 2\n"
            "  output y? = %a?b : float32 2\n"
            "}\n");
  EXPECT_EQ(node_label(builder.graph().nodes.front()), "node 'a?b' (Relu)");
}

}  // namespace
}  // namespace weft::graph
