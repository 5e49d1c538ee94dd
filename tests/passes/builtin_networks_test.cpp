// Node counts of the networks from the literature after optimize(). Expected counts come from the
// papers: He et al. 2016 (53 convolutions, 16 residual sums), Sandler et al. 2018 (52 and 10),
// Simonyan and Zisserman 2015 (13 convolutions and three matrices).
#include <gtest/gtest.h>

#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "models/networks/networks.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/networks.h"

namespace weft::passes::testing {
namespace {

Graph optimized(std::string_view name) {
  return optimize(networks::build_network(name), reference::evaluate);
}

std::size_t with_residual(const Graph& graph) {
  std::size_t result = 0;
  for (const Node& node : graph.nodes) {
    const bool contraction = node.op == Op::kConv || node.op == Op::kMatMul;
    result += contraction && node.input(3) != kNone ? 1U : 0U;
  }
  return result;
}

struct Expected {
  std::string name;
  std::size_t convolutions;
  std::size_t matrices;
  std::size_t residuals;
  std::size_t others;  // pools, Flatten and the like
};

class BuiltinNetworkTest : public ::testing::TestWithParam<Expected> {};

TEST_P(BuiltinNetworkTest, IsContractionsPoolsAndMovements) {
  const Expected& expected = GetParam();
  const Graph g = optimized(expected.name);
  SCOPED_TRACE(ops(g));
  EXPECT_EQ(count(g, Op::kConv), expected.convolutions);
  EXPECT_EQ(count(g, Op::kGemm) + count(g, Op::kMatMul), expected.matrices);
  EXPECT_EQ(with_residual(g), expected.residuals);
  EXPECT_EQ(g.nodes.size(), expected.convolutions + expected.matrices + expected.others);
  for (const Op op : {Op::kBatchNormalization, Op::kAdd, Op::kRelu, Op::kClip, Op::kDropout}) {
    EXPECT_EQ(count(g, op), 0U) << graph::to_string(op);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinNetworkTest,
                         ::testing::Values(Expected{"resnet50", 53, 1, 16, 3},
                                           Expected{"resnet18", 20, 1, 8, 3},
                                           Expected{"mobilenetv2", 52, 1, 10, 2},
                                           Expected{"vgg16", 13, 3, 0, 6}),
                         [](const auto& each) { return each.param.name; });

TEST(BuiltinNetworkTest, NoWeightsAreMade) {
  constexpr std::int64_t kSmall = 65'536;  // shapes and constants of operators
  for (const networks::NetworkInfo& info : networks::networks()) {
    const Graph g = optimized(info.name);
    for (const graph::Value& value : g.values) {
      const Tensor* ready = value.constant ? value.constant->ready() : nullptr;
      EXPECT_LE(ready == nullptr ? 0 : ready->size(), kSmall) << info.name << " " << value.name;
    }
  }
}

TEST(BuiltinNetworkTest, RecurrentNetworksBecomeProducts) {
  const Graph g =
      optimize(decompose_recurrent(networks::build_network("lstm")), reference::evaluate);
  EXPECT_EQ(count(g, Op::kLstm), 0U);
  EXPECT_EQ(count(g, Op::kSigmoid), 0U) << "each must be the activation of a product";
}

}  // namespace
}  // namespace weft::passes::testing
