#include "models/networks/networks.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "compiler/graph/builder/check.h"

namespace weft::networks {
namespace {

using graph::Graph;

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

struct Types {
  std::string_view name;
  std::string_view input;
  std::string_view output;
};

constexpr std::array<Types, 19> kTypesAtBatch2 = {{
    {"digits-mlp", "float32 2x64", "float32 2x10"},
    {"digits-cnn", "float32 2x1x8x8", "float32 2x10"},
    {"mlp", "float32 2x784", "float32 2x10"},
    {"mlp0", "float32 2x2000", "float32 2x2000"},
    {"cnn0", "float32 2x48x19x19", "float32 2x1x19x19"},
    {"lenet5", "float32 2x1x28x28", "float32 2x10"},
    {"alexnet", "float32 2x3x224x224", "float32 2x1000"},
    {"alexnet-2012", "float32 2x3x227x227", "float32 2x1000"},
    {"vgg16", "float32 2x3x224x224", "float32 2x1000"},
    {"resnet18", "float32 2x3x224x224", "float32 2x1000"},
    {"resnet50", "float32 2x3x224x224", "float32 2x1000"},
    {"mobilenetv2", "float32 2x3x224x224", "float32 2x1000"},
    {"vit-s", "float32 2x3x224x224", "float32 2x1000"},
    {"lstm", "int64 35x2", "float32 35x2x10000"},
    {"bert-base", "int64 2x128", "float32 2x128x768"},
    {"gpt2", "int64 2x128", "float32 2x128x50257"},
    {"llama-7b", "int64 2x128", "float32 2x128x32000"},
    {"llama-13b", "int64 2x128", "float32 2x128x32000"},
    {"llama-70b", "int64 2x128", "float32 2x128x32000"},
}};

TEST(NetworksTest, TakeAndGiveTheShapesOfTheirSources) {
  ASSERT_EQ(kTypesAtBatch2.size(), networks().size());
  for (const auto& [name, input, output] : kTypesAtBatch2) {
    const Graph graph = build_network(name, {.batch = 2});
    EXPECT_EQ(to_string(graph.type(graph.inputs.at(0))), input) << name;
    EXPECT_EQ(to_string(graph.type(graph.outputs.at(0).value)), output) << name;
  }
}

TEST(NetworksTest, GiveBertItsPooledFirstToken) {
  const Graph graph = build_network("bert-base", {.batch = 2});
  ASSERT_EQ(graph.inputs.size(), 2U);
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.outputs[1].name, "pooler_output");
  EXPECT_EQ(to_string(graph.type(graph.outputs[1].value)), "float32 2x768");
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
            "network resnet50: its input is not a sequence; remove the sequence length");
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
  EXPECT_NE(message_of("transformer").find("there are digits-mlp, digits-cnn, mlp,"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::networks
