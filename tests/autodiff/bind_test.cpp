// Checks constants put into graphs: new parameters for a network, and values for a graph's inputs.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/builder/check.h"
#include "tests/autodiff/networks.h"

namespace weft::autodiff::testing {
namespace {

TEST(WithValuesTest, TheInferenceNetworkWithNewParametersGivesTheTrainingGraphsLogits) {
  Random random(1);
  const Graph network = perceptron(random);
  const TrainingGraph training = training_graph(network);
  const Graph other = perceptron(random);  // other weights under the same names
  NamedTensors values;
  for (const Learned& each : training_graph(other).parameters) {
    values.emplace(each.name, each.initial.tensor());
  }
  NamedTensors inputs = values;
  const Tensor x = floats({4, 6}, std::vector<float>(24, 0.25F));
  inputs.emplace("x", x);
  inputs.emplace("targets", Tensor(DataType::kFloat32, {4, 3}));
  const Tensor trained = reference::run_graph(training.graph, inputs).at("logits");
  EXPECT_EQ(reference::run_graph(with_values(network, values), {{"x", x}}).at("logits"), trained);
  EXPECT_NE(reference::run_graph(network, {{"x", x}}).at("logits"), trained);
}

TEST(WithValuesTest, RefusesUnknownNamesAndOtherTypes) {
  Random random(1);
  const Graph network = perceptron(random);
  EXPECT_EQ(error_of([&] {
              with_values(network, {{"x", Tensor()}});
            }),
            "network 'perceptron': there is no constant 'x'; give the values of this network");
  EXPECT_EQ(error_of([&] {
              with_values(network, {{"b2", floats({2}, {1, 2})}});
            }),
            "network 'perceptron': 'b2' is float32 3, given is float32 2");
}

TEST(BindInputsTest, AConstantMadeOnDemandMayChangeBetweenRuns) {
  Random random(1);
  const TrainingGraph training = training_graph(perceptron(random));
  auto values = std::make_shared<NamedTensors>(initial_inputs(training));
  std::map<std::string, graph::Constant> bound;
  for (const Learned& each : training.parameters) {
    bound.emplace(each.name, graph::Constant(each.type, [values, name = each.name] {
                    return values->at(name);
                  }));
  }
  const Graph graph = bind_inputs(training.graph, bound);
  ASSERT_NO_THROW(graph::check(graph));
  EXPECT_EQ(graph.inputs.size(), 2U);
  NamedTensors inputs = {{"x", floats({4, 6}, std::vector<float>(24, 0.25F))},
                         {"targets", Tensor(DataType::kFloat32, {4, 3})}};
  reference::GraphRunner runner(graph);
  const NamedTensors first = runner.run(inputs);
  for (float& value : values->at("b2").mutable_data<float>()) value += 1;
  const NamedTensors second = runner.run(inputs);
  EXPECT_NE(first.at("logits"), second.at("logits"));
  NamedTensors all = *values;
  all.insert(inputs.begin(), inputs.end());
  EXPECT_EQ(reference::run_graph(training.graph, all), second);
}

TEST(BindInputsTest, RefusesUnknownNamesAndOtherTypes) {
  Random random(1);
  const Graph network = perceptron(random);
  EXPECT_EQ(error_of([&] {
              bind_inputs(network, {{"b1", Tensor()}});
            }),
            "network 'perceptron': there is no input 'b1'; give the values of this network");
  EXPECT_EQ(error_of([&] {
              bind_inputs(network, {{"x", Tensor()}});
            }),
            "network 'perceptron': 'x' is float32 4x6, given is float32 scalar");
}

}  // namespace
}  // namespace weft::autodiff::testing
