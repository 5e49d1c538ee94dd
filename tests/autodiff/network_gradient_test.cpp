// Checks the gradients of all parameters of whole networks against central differences of the loss.
// The test computes the loss from the logits. Both sides use float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/builder/check.h"
#include "compiler/passes/optimize.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/autodiff/networks.h"

namespace weft::autodiff::testing {
namespace {

/// The mean over the batch of -sum target * log(exp(logit) / sum exp(logit)), evaluated literally.
double cross_entropy(const Tensor& logits, const Tensor& targets) {
  const auto batch = static_cast<std::size_t>(logits.shape()[0]);
  const auto classes = static_cast<std::size_t>(logits.shape()[1]);
  const auto x = logits.data<double>();
  const auto t = targets.data<double>();
  double loss = 0;
  for (std::size_t row = 0; row < batch; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < classes; ++j) sum += std::exp(x[row * classes + j]);
    for (std::size_t j = 0; j < classes; ++j) {
      const std::size_t i = row * classes + j;
      loss -= t[i] * std::log(std::exp(x[i]) / sum) / static_cast<double>(batch);
    }
  }
  return loss;
}

Tensor as_double(const Tensor& tensor) {
  Tensor result(DataType::kFloat64, tensor.shape());
  std::ranges::copy(tensor.data<float>(), result.mutable_data<double>().begin());
  return result;
}

/// Each row sums to 1: it is one-hot, or holds 3/4 and 1/4.
Tensor random_targets(Random& random, const Shape& shape) {
  Tensor targets(DataType::kFloat64, shape);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const double first = chance(random) ? 1 : 0.75;
    const auto values = targets.mutable_data<double>();
    const auto at = [&] {
      return static_cast<std::size_t>(row * shape[1] + between(random, 0, shape[1] - 1));
    };
    values[at()] += first;
    values[at()] += 1 - first;
  }
  return targets;
}

/// Returns inputs for the training graph: initial parameters and statistics, and random data.
NamedTensors random_point(const TrainingGraph& training, Random& random) {
  NamedTensors inputs;
  for (const Learned& each : training.parameters) {
    inputs.emplace(each.name, as_double(each.initial.tensor()));
  }
  for (const Statistic& each : training.statistics) {
    inputs.emplace(each.name, as_double(each.initial.tensor()));
  }
  for (const ValueId id : training.graph.inputs) {
    const graph::Value& value = training.graph.values[id];
    if (value.name == training.targets) {
      inputs.emplace(value.name, random_targets(random, value.type.shape));
    } else if (value.type.type == DataType::kInt64) {
      inputs.emplace(value.name, Tensor::of<std::int64_t>({2, 3}, {0, 2, 2, 4, -3, 1}));
    } else if (!inputs.contains(value.name)) {
      inputs.emplace(value.name, reals(random, value.type.shape));
    }
  }
  return inputs;
}

struct Network {
  const char* name;
  Graph (*build)(Random& random);
  std::size_t parameters;
};

Graph four_rows(Random& random) {
  return perceptron(random);
}

class NetworkGradientTest : public ::testing::TestWithParam<Network> {};

TEST_P(NetworkGradientTest, OfEveryParameterAgreesWithDifferencesOfTheLoss) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const TrainingGraph training = training_graph(GetParam().build(random));
    ASSERT_NO_THROW(graph::check(training.graph));
    EXPECT_EQ(training.parameters.size(), GetParam().parameters);
    const NamedTensors inputs = random_point(training, random);
    reference::GraphRunner runner(training.graph, {.double_precision = true});
    const auto f = [&](const NamedTensors& point) {
      return cross_entropy(runner.run(point).at(training.logits), point.at(training.targets));
    };
    const NamedTensors results = runner.run(inputs);
    EXPECT_NEAR(results.at(training.loss).data<double>()[0], f(inputs), 1e-14 * (1 + f(inputs)));
    for (const Learned& each : training.parameters) {
      check_against_differences(f, inputs, each.name, results.at(each.gradient), f(inputs), random);
      if (HasFatalFailure()) return;
    }
  }
}

// Both runs use float64, but passes round the constants that they fold to float32.
TEST_P(NetworkGradientTest, SurvivesThePassesThatFuse) {
  Random random(1);
  const TrainingGraph training = training_graph(GetParam().build(random));
  const NamedTensors inputs = random_point(training, random);
  std::map<std::string, graph::Constant> parameters;
  for (const Learned& each : training.parameters) parameters.emplace(each.name, each.initial);
  const Graph fused =
      passes::optimize(bind_inputs(training.graph, parameters), reference::evaluate);
  EXPECT_NE(fused.nodes.size(), training.graph.nodes.size());
  NamedTensors rest = inputs;
  for (const Learned& each : training.parameters) rest.erase(each.name);
  const NamedTensors expected =
      reference::run_graph(training.graph, inputs, {.double_precision = true});
  const NamedTensors found = reference::run_graph(fused, rest, {.double_precision = true});
  for (const auto& [name, tensor] : expected) {
    const auto a = tensor.data<double>();
    const auto b = found.at(name).data<double>();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-6) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkGradientTest,
                         ::testing::Values(Network{"Perceptron", four_rows, 4},
                                           Network{"Cnn", small_cnn, 5},
                                           Network{"ResidualBlock", residual_block, 11},
                                           Network{"AttentionBlock", attention_block, 20},
                                           Network{"UnrolledLstm", unrolled_lstm, 14}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace weft::autodiff::testing
