// check() must refuse every broken graph.
#include "compiler/graph/builder/check.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/graph/graph.h"

namespace weft::graph {
namespace {

// x -> Relu "first" -> Add "second" (with constant c) -> y
Graph small_graph() {
  Builder builder("net");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2, 3}});
  const ValueId c = builder.constant(Tensor(DataType::kFloat32, {3}), "c");
  const ValueId first = builder.add(Op::kRelu, {x}, {}, "first");
  builder.output(builder.add(Op::kAdd, {first, c}, {}, "second"), "y");
  return builder.finish();
}

constexpr ValueId kX = 0;
constexpr ValueId kC = 1;
constexpr ValueId kFirst = 2;
constexpr ValueId kSecond = 3;

std::string error_of(const Graph& graph) {
  try {
    check(graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckTest, AcceptsWhatABuilderMakes) {
  EXPECT_EQ(error_of(small_graph()), "no error");
}

TEST(CheckTest, RefusesNodesOutOfOrder) {
  Graph graph = small_graph();
  std::swap(graph.nodes[0], graph.nodes[1]);
  EXPECT_EQ(error_of(graph), "node 'second' (Add): value 'first' is used before it is made");
}

TEST(CheckTest, RefusesAValueThatIsMadeTwice) {
  Graph graph = small_graph();
  graph.nodes[1].outputs = {kFirst};
  EXPECT_EQ(error_of(graph),
            "node 'second' (Add): value 'first', an output, is made "
            "twice");
  graph = small_graph();
  graph.inputs.push_back(kC);
  EXPECT_EQ(error_of(graph), "graph 'net': value 'c', an input, is made twice");
}

TEST(CheckTest, RefusesAValueThatNothingMakes) {
  Graph graph = small_graph();
  graph.values.push_back({"orphan", {DataType::kFloat32, {}}});
  EXPECT_EQ(error_of(graph), "graph 'net': value 'orphan' is never made");
}

TEST(CheckTest, RefusesTypesThatAreNotTheOperators) {
  Graph graph = small_graph();
  graph.values[kSecond].type.shape = {3, 2};
  EXPECT_EQ(error_of(graph),
            "node 'second' (Add): output 0 is float32 2x3, but value 'second' has type float32 "
            "3x2");
  graph = small_graph();
  graph.nodes[0].attributes.set("alpha", 1.0F);
  EXPECT_EQ(error_of(graph),
            "node 'first' (Relu): attribute alpha: the operator has no such attribute");
  graph = small_graph();
  graph.nodes[1].inputs.pop_back();
  EXPECT_EQ(error_of(graph), "node 'second' (Add): 1 inputs, not 2");
}

TEST(CheckTest, RefusesConstantsOfAnotherType) {
  Graph graph = small_graph();
  graph.values[kC].type.type = DataType::kInt32;
  EXPECT_EQ(error_of(graph), "graph 'net': value 'c' is int32 3, but its constant is float32 3");
}

TEST(CheckTest, RefusesNumbersThatAreNoValues) {
  Graph graph = small_graph();
  graph.nodes[0].inputs = {77};
  EXPECT_EQ(error_of(graph), "node 'first' (Relu): an input is not a value of the graph");
  graph = small_graph();
  graph.nodes[0].outputs = {77};
  EXPECT_NE(error_of(graph), "no error");
  graph = small_graph();
  graph.inputs = {77};
  EXPECT_NE(error_of(graph), "no error");
  graph = small_graph();
  graph.outputs[0].value = kNoValue;
  EXPECT_EQ(error_of(graph), "graph 'net': output 'y' is not a value of the graph");
}

TEST(CheckTest, RefusesShapesThatAreNone) {
  Graph graph = small_graph();
  graph.values[kFirst].type.shape = {-1};
  EXPECT_EQ(error_of(graph), "graph 'net': value 'first': shape -1: an extent is negative");
}

TEST(CheckTest, RefusesTwoOutputsOfOneName) {
  Graph graph = small_graph();
  graph.outputs.push_back({"y", kX});
  EXPECT_EQ(error_of(graph), "graph 'net': two outputs have the name 'y'");
}

TEST(GraphTest, KnowsWhoMakesAndHowManyUse) {
  Graph graph = small_graph();
  graph.outputs.push_back({"z", kFirst});
  EXPECT_EQ(producers(graph), (std::vector<std::size_t>{kNoProducer, kNoProducer, 0, 1}));
  EXPECT_EQ(use_counts(graph), (std::vector<std::size_t>{1, 1, 2, 1}));
  graph.nodes[1].inputs.push_back(kNoValue);
  EXPECT_EQ(use_counts(graph), (std::vector<std::size_t>{1, 1, 2, 1}));
}

}  // namespace
}  // namespace weft::graph
