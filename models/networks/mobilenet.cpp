#include <fmt/format.h>

#include <array>

#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

struct MobileNetStage {
  std::int64_t expansion;
  std::int64_t channels;
  int blocks;
  std::int64_t stride;  // of the first block
};

/// Table 2 of the paper.
constexpr std::array<MobileNetStage, 7> kMobileNetStages = {{{1, 16, 1, 1},
                                                             {6, 24, 2, 2},
                                                             {6, 32, 3, 2},
                                                             {6, 64, 4, 2},
                                                             {6, 96, 3, 1},
                                                             {6, 160, 3, 2},
                                                             {6, 320, 1, 1}}};

ValueId conv_relu6(Layers& net, ValueId x, ConvOptions options, const std::string& name) {
  options.bias = false;
  x = net.batch_norm(net.conv(x, options, name + ".conv"), name + ".bn");
  return net.relu6(x, name + ".relu6");
}

/// Expands by 1x1, filters each channel by 3x3, and projects by 1x1 without activation. The result
/// is added to the input if the shapes allow.
ValueId inverted_residual(Layers& net, ValueId input, const MobileNetStage& stage,
                          std::int64_t stride, const std::string& name) {
  const std::int64_t hidden = net.extent(input, 1) * stage.expansion;
  const bool residual = stride == 1 && net.extent(input, 1) == stage.channels;
  ValueId x = input;
  if (stage.expansion != 1) x = conv_relu6(net, x, {.channels = hidden}, name + ".expand");
  x = conv_relu6(
      net, x, {.channels = hidden, .kernel = 3, .stride = stride, .padding = 1, .groups = hidden},
      name + ".depthwise");
  x = net.conv(x, {.channels = stage.channels, .bias = false, .gain = Gain::kLinear},
               name + ".project.conv");
  x = net.batch_norm(x, name + ".project.bn", residual ? kBranchScale : kScale);
  return residual ? net.add(Op::kAdd, {input, x}, {}, name + ".add") : x;
}

}  // namespace

graph::Graph build_mobilenetv2(const NetworkOptions& options) {
  Layers net("mobilenetv2", options.seed);
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 3, 224, 224});
  x = conv_relu6(net, x, {.channels = 32, .kernel = 3, .stride = 2, .padding = 1}, "stem");
  int number = 0;
  for (const MobileNetStage& stage : kMobileNetStages) {
    for (int i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(net, x, stage, i == 0 ? stage.stride : 1,
                            fmt::format("block{}", ++number));
    }
  }
  x = conv_relu6(net, x, {.channels = 1280}, "head");
  x = net.flatten(net.add(Op::kGlobalAveragePool, {x}, {}, "avgpool"));
  return net.finish(net.gemm(x, 1000, "fc", Gain::kLinear), "logits");
}

}  // namespace weft::networks
