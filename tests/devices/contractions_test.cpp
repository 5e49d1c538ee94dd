// Checks the matrix product of each contraction on prime extents. For whole networks, compares the
// products' MACs with a count that published tables confirm.
#include "models/devices/contractions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "models/networks/count.h"
#include "models/networks/networks.h"

namespace weft::devices {
namespace {

using graph::Attributes;
using graph::Op;
using graph::Shape;

GemmShape shape_of(Op op, const std::vector<Shape>& shapes, const Attributes& attributes = {}) {
  graph::Builder builder("net");
  std::vector<graph::ValueId> inputs;
  for (const Shape& shape : shapes) {
    inputs.push_back(builder.input(std::string("x").append(std::to_string(inputs.size())),
                                   {graph::DataType::kFloat32, shape}));
  }
  builder.output(builder.add(op, inputs, attributes), "y");
  const graph::Graph graph = builder.finish();
  return contraction_of(graph, graph.nodes.at(0)).value();
}

TEST(ContractionsTest, AConvolutionIsTheProductOfItsColumns) {
  // 2 samples of 7 x 11 positions, 4 channels of 5 x 3 taps, 6 filters.
  EXPECT_EQ(shape_of(Op::kConv, {{2, 4, 11, 13}, {6, 4, 5, 3}}), (GemmShape{154, 60, 6}));
  EXPECT_EQ(shape_of(Op::kConv, {{2, 4, 11, 13}, {6, 2, 5, 3}}, {{"group", std::int64_t{2}}}),
            (GemmShape{154, 30, 3, 2}));
  // A depthwise convolution has one group per channel.
  EXPECT_EQ(shape_of(Op::kConv, {{1, 8, 5, 5}, {8, 1, 3, 3}}, {{"group", std::int64_t{8}}}),
            (GemmShape{9, 9, 1, 8}));
}

TEST(ContractionsTest, ATransposedConvolutionMultipliesBeforeItAdds) {
  EXPECT_EQ(shape_of(Op::kConvTranspose, {{2, 5, 3, 7}, {5, 11, 2, 2}}), (GemmShape{42, 5, 44}));
}

TEST(ContractionsTest, BatchesOverOneMatrixAreRows) {
  EXPECT_EQ(shape_of(Op::kMatMul, {{3, 5}, {5, 7}}), (GemmShape{3, 5, 7}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{2, 3, 5}, {5, 7}}), (GemmShape{6, 5, 7}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{2, 3, 5}, {1, 5, 7}}), (GemmShape{6, 5, 7}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{2, 11, 3, 5}, {2, 11, 5, 7}}), (GemmShape{3, 5, 7, 22}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{3, 5}, {2, 5, 7}}), (GemmShape{3, 5, 7, 2}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{5}, {5, 7}}), (GemmShape{1, 5, 7}));
  EXPECT_EQ(shape_of(Op::kMatMul, {{3, 5}, {5}}), (GemmShape{3, 5, 1}));
  EXPECT_EQ(shape_of(Op::kGemm, {{5, 3}, {5, 7}}, {{"transA", std::int64_t{1}}}),
            (GemmShape{3, 5, 7}));
}

TEST(ContractionsTest, OtherOperatorsAreNone) {
  graph::Builder builder("net");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {2, 3}});
  builder.output(builder.add(Op::kRelu, {x}), "y");
  const graph::Graph graph = builder.finish();
  EXPECT_EQ(contraction_of(graph, graph.nodes.at(0)), std::nullopt);
}

TEST(ContractionsTest, TheProductsOfEveryNetworkHaveItsMacs) {
  for (const auto& info : networks::networks()) {
    SCOPED_TRACE(info.name);
    const graph::Graph graph = passes::decompose_recurrent(networks::build_network(info.name));
    std::uint64_t macs = 0;
    for (const graph::Node& node : graph.nodes) {
      const auto shape = contraction_of(graph, node);
      EXPECT_EQ(shape.has_value(), networks::count_macs(graph, node) > 0) << node.name;
      if (shape) macs += shape->m * shape->k * shape->n * shape->count;
    }
    EXPECT_EQ(macs, networks::count_macs(graph));
    EXPECT_GT(macs, 0U);
  }
}

}  // namespace
}  // namespace weft::devices
