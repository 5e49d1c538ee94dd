// Sizes from papers and from the documentation of their implementations. They were copied from
// these sources, not taken from a run.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "models/networks/count.h"
#include "models/networks/networks.h"

namespace weft::networks {
namespace {

struct Published {
  std::string_view network;
  double count;
};

constexpr std::array<Published, 14> kParameters = {{
    {"mlp0", 20e6},          // Jouppi et al. 2017, table 1
    {"cnn0", 8e6},           // the same
    {"alexnet", 61.1e6},     // torchvision's table of models
    {"alexnet-2012", 61e6},  // Sze et al. 2017, table II
    {"vgg16", 138.4e6},      // torchvision; Simonyan and Zisserman: 138 M
    {"resnet18", 11.7e6},    // torchvision
    {"resnet50", 25.6e6},    // torchvision
    {"mobilenetv2", 3.5e6},  // torchvision; Sandler et al.: 3.4 M
    {"vit-s", 22e6},         // Touvron et al. 2021, table 1
    {"bert-base", 109.5e6},  // Devlin et al.: 110 M
    {"gpt2", 124e6},         // the code's release notes
    {"llama-7b", 6.74e9},    // of the released models
    {"llama-13b", 13.02e9},
    {"llama-70b", 68.98e9},
}};

constexpr std::array<Published, 7> kMacs = {{
    {"alexnet", 0.71e9},        // torchvision
    {"alexnet-2012", 0.724e9},  // Sze et al. 2017, table II
    {"vgg16", 15.5e9},          // Sze et al. 2017, table II; torchvision
    {"resnet18", 1.8e9},        // He et al., table 1; torchvision 1.81
    {"resnet50", 4.1e9},        // torchvision 4.09
    {"mobilenetv2", 0.30e9},    // Sandler et al., table 4; torchvision
    {"vit-s", 4.6e9},           // Touvron et al. 2021
}};

/// Convolutions only, from the Eyeriss paper (Chen et al., ISSCC 2016).
constexpr std::array<Published, 2> kConvolutionMacs = {
    {{"alexnet-2012", 666e6}, {"vgg16", 15.3e9}}};

TEST(PublishedSizesTest, OfParametersAreMetWithinOnePercent) {
  for (const auto& [network, count] : kParameters) {
    EXPECT_NEAR(static_cast<double>(count_parameters(build_network(network))), count, 0.01 * count)
        << network;
  }
}

TEST(PublishedSizesTest, OfMacsAreMetWithinTwoPercent) {
  for (const auto& [network, count] : kMacs) {
    EXPECT_NEAR(static_cast<double>(count_macs(build_network(network))), count, 0.02 * count)
        << network;
  }
}

TEST(PublishedSizesTest, OfConvolutionsAreMetWithinOnePercent) {
  for (const auto& [network, published] : kConvolutionMacs) {
    const graph::Graph graph = build_network(network);
    std::uint64_t count = 0;
    for (const graph::Node& node : graph.nodes) {
      if (node.op == graph::Op::kConv) count += count_macs(graph, node);
    }
    EXPECT_NEAR(static_cast<double>(count), published, 0.01 * published) << network;
  }
}

/// Hand count: 784*512 + 512*512 + 512*10 products and 512 + 512 + 10 biases.
TEST(SizesTest, OfThePerceptronAreThoseOfItsWidths) {
  const graph::Graph graph = build_network("mlp");
  EXPECT_EQ(count_macs(graph), 668'672U);
  EXPECT_EQ(count_parameters(graph), 669'706U);
}

/// C1 has 28*28*6*25 products, C3 10*10*16*150, C5 120*400, F6 120*84 and the output layer 84*10.
/// The parameters are 156, 2416, 48120, 10164 and 850.
TEST(SizesTest, OfLeNetAreThoseOfItsLayers) {
  const graph::Graph graph = build_network("lenet5");
  EXPECT_EQ(count_macs(graph), 117'600U + 240'000 + 48'000 + 10'080 + 840);
  EXPECT_EQ(count_parameters(graph), 61'706U);
}

/// Parameters of the released models: 109,482,240 with pooler, 124,439,808 with tied embeddings.
TEST(SizesTest, OfTheTransformersAreExactlyThoseOfTheReleasedModels) {
  EXPECT_EQ(count_parameters(build_network("bert-base")), 109'482'240U);
  EXPECT_EQ(count_parameters(build_network("gpt2")), 124'439'808U);
  EXPECT_EQ(count_parameters(build_network("vit-s")), 22'050'664U);
}

/// Parameters that torchvision reports.
TEST(SizesTest, OfTheConvolutionalNetworksAreExactlyThoseOfTorchvision) {
  EXPECT_EQ(count_parameters(build_network("alexnet")), 61'100'840U);
  EXPECT_EQ(count_parameters(build_network("vgg16")), 138'357'544U);
  EXPECT_EQ(count_parameters(build_network("resnet18")), 11'689'512U);
  EXPECT_EQ(count_parameters(build_network("resnet50")), 25'557'032U);
  EXPECT_EQ(count_parameters(build_network("mobilenetv2")), 3'504'872U);
}

/// Each block has 4 projections, 2 feed-forward layers of 4 h^2 and 2 attention products of s^2 h:
/// s * 12 h^2 + 2 s^2 h. BERT's pooler adds h^2, GPT-2's output projection s * V * h.
TEST(SizesTest, OfTheTransformersFollowTheUsualFormula) {
  const auto blocks = [](std::uint64_t s, std::uint64_t h) {
    return 12 * (s * 12 * h * h + 2 * s * s * h);
  };
  constexpr std::uint64_t kHead = 50257 * 768;
  EXPECT_EQ(count_macs(build_network("bert-base")), blocks(128, 768) + 768 * 768);
  EXPECT_EQ(count_macs(build_network("gpt2")), blocks(128, 768) + 128 * kHead);
  EXPECT_EQ(count_macs(build_network("gpt2", {.sequence = 7})), blocks(7, 768) + 7 * kHead);
  EXPECT_EQ(count_macs(build_network("vit-s")), blocks(197, 384) + 196U * 768 * 384 + 384U * 1000);
}

/// Each of 35 steps has two layers of 4 gates, with 650 units and 1300 inputs each, and the
/// decoder. The parameters also include the embedding and, as in ONNX, two biases per gate.
TEST(SizesTest, OfTheLstmFollowFromItsGates) {
  const graph::Graph graph = build_network("lstm");
  EXPECT_EQ(count_macs(graph), 35U * (2 * 4 * 650 * 1300 + 650 * 10000));
  EXPECT_EQ(count_parameters(graph), 10000U * 650 + 2 * (4 * 650 * 1300 + 8 * 650) + 10000 * 651);
}

TEST(SizesTest, MacsGrowWithTheBatchAndParametersDoNot) {
  for (const NetworkInfo& info : networks()) {
    const graph::Graph one = build_network(info.name);
    const graph::Graph three = build_network(info.name, {.batch = 3});
    EXPECT_EQ(count_macs(three), 3 * count_macs(one)) << info.name;
    EXPECT_EQ(count_parameters(three), count_parameters(one)) << info.name;
  }
}

}  // namespace
}  // namespace weft::networks
