// Builds the training graphs of the built-in classifiers. It initializes no weights.
#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/builder/check.h"
#include "models/networks/count.h"
#include "models/networks/networks.h"

namespace weft::autodiff {
namespace {

class BuiltinTrainingTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BuiltinTrainingTest, EveryParameterHasAGradientOfItsShape) {
  const graph::Graph network = networks::build_network(GetParam(), {.batch = 2});
  const TrainingGraph training = training_graph(network);
  ASSERT_NO_THROW(graph::check(training.graph));
  std::uint64_t elements = 0;
  for (const Learned& each : training.parameters) {
    elements += static_cast<std::uint64_t>(graph::element_count(each.type.shape));
    EXPECT_EQ(each.initial.ready(), nullptr);
  }
  EXPECT_EQ(elements, networks::count_parameters(network));
  std::map<std::string, graph::ValueType> outputs;
  for (const graph::Output& output : training.graph.outputs) {
    outputs.emplace(output.name, training.graph.type(output.value));
  }
  for (const Learned& each : training.parameters) EXPECT_EQ(outputs.at(each.gradient), each.type);
}

INSTANTIATE_TEST_SUITE_P(Networks, BuiltinTrainingTest,
                         ::testing::Values("mlp", "mlp0", "lenet5", "alexnet", "vgg16", "resnet18",
                                           "resnet50", "mobilenetv2", "vit-s"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace weft::autodiff
