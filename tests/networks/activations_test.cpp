// Drawn weights keep the promise of layers.h: a network runs, and no activation vanishes, explodes
// or stops depending on the input. So rounding to bf16 or int8 has something to round, and top-1
// agreement compares real differences.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include "models/networks/digits.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Node;
using graph::Op;
using graph::Tensor;
using reference::run_graph;

double root_mean_square(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor.data<float>()) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(sum / static_cast<double>(tensor.size()));
}

/// Masks are large on purpose; softmax shares over many tokens are small.
bool has_a_size_of_its_own(const Node& node) {
  return node.op == Op::kSoftmax || node.op == Op::kPow || node.name.ends_with(".mask");
}

class ActivationsTest : public testing::TestWithParam<const char*> {};

TEST_P(ActivationsTest, NeitherVanishNorExplode) {
  const graph::Graph graph = build_network(GetParam());
  int checked = 0;
  reference::RunGraphOptions options;
  options.observer = [&](const Node& node, std::span<const Tensor> outputs) {
    if (has_a_size_of_its_own(node)) return;
    for (const Tensor& output : outputs) {
      if (output.type() != DataType::kFloat32 || output.size() == 0) continue;
      EXPECT_GT(root_mean_square(output), 0.01) << node_label(node);
      EXPECT_LT(root_mean_square(output), 20) << node_label(node);
      ++checked;
    }
  };
  run_graph(graph, sample_inputs(graph, 1), options);
  EXPECT_GE(checked, 3);  // digits-mlp has no more nodes
}

INSTANTIATE_TEST_SUITE_P(Networks, ActivationsTest,
                         testing::Values("digits-cnn", "mlp", "mlp0", "lenet5", "alexnet-2012",
                                         "resnet50", "mobilenetv2", "vit-s", "lstm"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(AnswersTest, DependOnTheDigit) {
  constexpr std::int64_t kCount = 100;
  for (const char* name : {"mlp", "lenet5"}) {
    const graph::Graph graph = build_network(name, {.batch = kCount});
    const Tensor logits = run_graph(graph, sample_inputs(graph, 1)).begin()->second;
    std::set<std::ptrdiff_t> answers;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto row = logits.data<float>().subspan(i * kDigitClasses, kDigitClasses);
      answers.insert(std::ranges::max_element(row) - row.begin());
    }
    EXPECT_GE(answers.size(), 4U) << name;
  }
}

TEST(Gpt2Test, NeverSeesTheFuture) {
  const graph::Graph graph = build_network("gpt2", {.sequence = 6});
  auto inputs = sample_inputs(graph, 1);
  const Tensor before = run_graph(graph, inputs).at("logits");
  inputs.at("input_ids").mutable_data<std::int64_t>()[4] ^= 1;
  const Tensor after = run_graph(graph, inputs).at("logits");
  const std::size_t words = static_cast<std::size_t>(before.shape().back());
  for (std::size_t token = 0; token < 6; ++token) {
    const auto row = [&](const Tensor& logits) {
      return logits.data<float>().subspan(token * words, words);
    };
    EXPECT_EQ(std::ranges::equal(row(before), row(after)), token < 4) << "token " << token;
  }
}

}  // namespace
}  // namespace weft::networks
