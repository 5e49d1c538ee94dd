#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "models/networks/networks.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Tensor;
using graph::Value;

/// The constant with this name; the test fails if there is none.
const graph::Constant& constant(const Graph& graph, std::string_view name) {
  for (const Value& value : graph.values) {
    if (value.name == name && value.constant) return *value.constant;
  }
  throw std::logic_error("no constant " + std::string(name));
}

double second_moment(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor.data<float>()) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return sum / static_cast<double>(tensor.size());
}

TEST(WeightsTest, AreNotMadeBeforeTheyAreAskedFor) {
  constexpr std::int64_t kFew = 1024;  // position numbers are the longest such shape
  for (const NetworkInfo& info : networks()) {
    std::int64_t lazy = 0;
    for (const Value& value : build_network(info.name).values) {
      if (!value.constant) continue;
      const std::int64_t size = graph::element_count(value.type.shape);
      if (value.constant->ready() == nullptr) {
        lazy += size;
      } else {
        EXPECT_LE(size, kFew) << info.name << ": " << value.name;
      }
    }
    EXPECT_GT(lazy, 2'000) << info.name;
  }
}

TEST(WeightsTest, HaveTheTypeThatTheirConstantSays) {
  for (const NetworkInfo& info : networks()) {
    for (const Value& value : build_network(info.name).values) {
      if (!value.constant) continue;
      EXPECT_EQ(value.constant->type(), value.type) << info.name << ": " << value.name;
      if (graph::element_count(value.type.shape) > 100'000) continue;  // the same code makes it
      EXPECT_EQ(value.constant->tensor().value_type(), value.type)
          << info.name << ": " << value.name;
    }
  }
}

TEST(WeightsTest, AreTheSameForTheSameSeedInAnyOrder) {
  const Graph one = build_network("lenet5", {.seed = 5});
  const Graph two = build_network("lenet5", {.batch = 3, .seed = 5});
  const Tensor last = constant(one, "output.weight").tensor();
  const Tensor first = constant(one, "c1.weight").tensor();
  EXPECT_EQ(constant(two, "c1.weight").tensor(), first);
  EXPECT_EQ(constant(two, "output.weight").tensor(), last);
  EXPECT_EQ(constant(one, "c1.weight").tensor(), first);
}

TEST(WeightsTest, DifferBetweenSeedsAndBetweenParameters) {
  const Graph one = build_network("mlp0", {.seed = 1});
  const Graph two = build_network("mlp0", {.seed = 2});
  const Tensor weight = constant(one, "fc1.weight").tensor();
  EXPECT_FALSE(weight == constant(two, "fc1.weight").tensor());
  EXPECT_FALSE(weight == constant(one, "fc2.weight").tensor());
}

TEST(WeightsTest, KeepTheSizeOfActivations) {
  const Graph graph = build_network("resnet50");
  // 64 inputs of 3x3 with a following ReLU give 2 / 576; 64 inputs of 1x1 without ReLU give 1 / 64.
  // The square of a uniform number has a relative deviation of sqrt(4/5); the bound is five of
  // these over sqrt(n).
  const auto expect_variance = [&](const char* name, double variance) {
    const Tensor weight = constant(graph, name).tensor();
    EXPECT_NEAR(second_moment(weight), variance,
                variance * 5 * std::sqrt(0.8 / static_cast<double>(weight.size())))
        << name;
  };
  expect_variance("layer1.0.conv2.weight", 2.0 / 576);
  expect_variance("layer1.0.conv3.weight", 1.0 / 64);
  expect_variance("fc.weight", 1.0 / 2048);
}

TEST(WeightsTest, LeaveBatchNormalizationNearIdentityWithPositiveVariance) {
  for (const char* network : {"resnet18", "mobilenetv2"}) {
    int checked = 0;
    for (const Value& value : build_network(network).values) {
      if (!value.name.ends_with(".running_var")) continue;
      const Tensor variance = value.constant->tensor();
      for (const float element : variance.data<float>()) {
        EXPECT_GE(element, 0.8F);
        EXPECT_LE(element, 1.2F);
      }
      ++checked;
    }
    EXPECT_GE(checked, 20) << network;
  }
}

TEST(WeightsTest, MaskTheFutureOfGpt2AndNothingElse) {
  const Graph graph = build_network("gpt2", {.sequence = 5});
  const graph::Node* add = nullptr;
  for (const graph::Node& node : graph.nodes) {
    if (node.name == "h.0.attn.mask") add = &node;
  }
  ASSERT_NE(add, nullptr);
  const Tensor mask = graph.values[add->inputs.at(1)].constant.value().tensor();
  ASSERT_EQ(mask.shape(), (graph::Shape{1, 1, 5, 5}));
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 5; ++to) {
      const float value = mask.data<float>()[from * 5 + to];
      EXPECT_EQ(value == 0, to <= from);
      // A masked score vanishes completely, in binary32 and in fp16.
      EXPECT_EQ(std::exp(value) == 0, to > from);
      EXPECT_GE(value, -65504.0F);
    }
  }
}

}  // namespace
}  // namespace weft::networks
