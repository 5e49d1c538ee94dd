#include <fmt/format.h>

#include <array>

#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

struct VggStage {
  std::int64_t channels;
  int convolutions;
};

/// Configuration D of the paper's table 1; a pool ends each stage.
constexpr std::array<VggStage, 5> kVggStages = {{{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}};

ValueId features(Layers& net, ValueId x) {
  for (std::size_t i = 0; i < kVggStages.size(); ++i) {
    for (int j = 0; j < kVggStages[i].convolutions; ++j) {
      const std::string name = fmt::format("conv{}_{}", i + 1, j + 1);
      x = net.conv(x, {.channels = kVggStages[i].channels, .kernel = 3, .padding = 1}, name);
      x = net.relu(x, name + ".relu");
    }
    x = net.pool(Op::kMaxPool, x, {}, fmt::format("pool{}", i + 1));
  }
  return x;
}

}  // namespace

graph::Graph build_vgg16(const NetworkOptions& options) {
  Layers net("vgg16", options.seed);
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 3, 224, 224});
  x = net.flatten(features(net, x));
  x = net.relu(net.gemm(x, 4096, "fc6", Gain::kRelu), "fc6.relu");
  x = net.relu(net.gemm(x, 4096, "fc7", Gain::kRelu), "fc7.relu");
  return net.finish(net.gemm(x, 1000, "fc8", Gain::kLinear), "logits");
}

}  // namespace weft::networks
