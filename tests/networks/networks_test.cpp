#include "models/networks/networks.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "sim/config/error.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Graph;
using graph::ValueType;

std::string message_of(std::string_view name, const NetworkOptions& options = {}) {
  try {
    build_network(name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NetworksTest, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const NetworkInfo& info : networks()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.title.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
  }
}

TEST(NetworksTest, AreValidGraphsUnderTheirNames) {
  for (const NetworkInfo& info : networks()) {
    const Graph graph = build_network(info.name, {.batch = 2});
    EXPECT_EQ(graph.name, info.name);
    EXPECT_NO_THROW(check(graph)) << info.name;
  }
}

TEST(NetworksTest, NameEachNodeOnce) {
  for (const NetworkInfo& info : networks()) {
    std::set<std::string> names;
    for (const graph::Node& node : build_network(info.name).nodes) {
      EXPECT_TRUE(names.insert(node.name).second) << info.name << ": " << node.name;
    }
  }
}

TEST(NetworksTest, TakeAndGiveTheShapesOfTheirSources) {
  const ValueType image{DataType::kFloat32, {2, 3, 224, 224}};
  const ValueType classes{DataType::kFloat32, {2, 1000}};
  const ValueType digit{DataType::kFloat32, {2, 10}};
  struct Types {
    ValueType input;
    ValueType output;
  };
  const std::map<std::string_view, Types> expected = {
      {"mlp", {{DataType::kFloat32, {2, 784}}, digit}},
      {"mlp0", {{DataType::kFloat32, {2, 2000}}, {DataType::kFloat32, {2, 2000}}}},
      {"lenet5", {{DataType::kFloat32, {2, 1, 28, 28}}, digit}},
      {"alexnet", {image, classes}},
      {"alexnet-2012", {{DataType::kFloat32, {2, 3, 227, 227}}, classes}},
      {"vgg16", {image, classes}},
      {"resnet18", {image, classes}},
      {"resnet50", {image, classes}},
      {"mobilenetv2", {image, classes}},
      {"vit-s", {image, classes}},
      {"lstm", {{DataType::kInt64, {35, 2}}, {DataType::kFloat32, {35, 2, 10000}}}},
      {"bert-base", {{DataType::kInt64, {2, 128}}, {DataType::kFloat32, {2, 128, 768}}}},
      {"gpt2", {{DataType::kInt64, {2, 128}}, {DataType::kFloat32, {2, 128, 50257}}}}};
  ASSERT_EQ(expected.size(), networks().size());
  for (const auto& [name, types] : expected) {
    const Graph graph = build_network(name, {.batch = 2});
    EXPECT_EQ(graph.type(graph.inputs.at(0)), types.input) << name;
    EXPECT_EQ(graph.type(graph.outputs.at(0).value), types.output) << name;
  }
}

TEST(NetworksTest, GiveBertItsPooledFirstToken) {
  const Graph graph = build_network("bert-base", {.batch = 2});
  ASSERT_EQ(graph.inputs.size(), 2U);
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.outputs[1].name, "pooler_output");
  EXPECT_EQ(graph.type(graph.outputs[1].value), (ValueType{DataType::kFloat32, {2, 768}}));
}

TEST(NetworksTest, TakeSequencesUpToTheirLongest) {
  for (const NetworkInfo& info : networks()) {
    if (info.sequence == 0) continue;
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{17}, info.longest}) {
      const Graph net = build_network(info.name, {.sequence = length});
      EXPECT_EQ(graph::element_count(net.type(net.inputs.at(0)).shape), length) << info.name;
    }
    EXPECT_NE(message_of(info.name, {.sequence = info.longest + 1}).find("1 to"),
              std::string::npos);
    EXPECT_NE(message_of(info.name, {.sequence = 0}).find("sequence length 0"), std::string::npos);
  }
}

TEST(NetworksTest, RefuseASequenceWhereThereIsNone) {
  EXPECT_EQ(message_of("resnet50", {.sequence = 8}),
            "network resnet50: its input is no sequence; give no sequence length");
}

TEST(NetworksTest, RefuseBatchesOutOfRange) {
  EXPECT_EQ(message_of("mlp", {.batch = 0}),
            "network mlp: batch 0 is out of range; must be 1 to 65536");
  EXPECT_NE(message_of("mlp", {.batch = kLargestBatch + 1}), "");
  for (const NetworkInfo& info : networks()) {
    EXPECT_EQ(message_of(info.name, {.batch = kLargestBatch}), "") << info.name;
  }
}

TEST(NetworksTest, NameTheNetworkThatWasProbablyMeant) {
  EXPECT_EQ(message_of("resnet5O"), "'resnet5O': no such network; did you mean resnet50?");
  EXPECT_NE(message_of("transformer").find("there are mlp, mlp0, lenet5,"), std::string::npos);
}

}  // namespace
}  // namespace weft::networks
