#include <fmt/format.h>

#include <array>

#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

constexpr std::size_t kStageCount = 4;

/// Basic: two 3x3 convolutions. Bottleneck: 1x1, 3x3, then 1x1 with four times the channels.
enum class ResidualBlock : std::uint8_t { kBasic, kBottleneck };

struct BlockPlace {
  std::string name;  // "layer2.0"
  std::int64_t width;
  std::int64_t stride;
};

struct Norm {
  const char* conv;
  const char* norm;
  Uniform scale = kScale;
};

ValueId conv_norm(Layers& net, ValueId x, ConvOptions options, const BlockPlace& place,
                  const Norm& norm) {
  options.bias = false;
  x = net.conv(x, options, place.name + norm.conv);
  return net.batch_norm(x, place.name + norm.norm, norm.scale);
}

ValueId basic_branch(Layers& net, ValueId x, const BlockPlace& place) {
  const auto& [name, width, stride] = place;
  x = conv_norm(net, x, {.channels = width, .kernel = 3, .stride = stride, .padding = 1}, place,
                {".conv1", ".bn1"});
  x = net.relu(x, name + ".relu1");
  return conv_norm(net, x, {.channels = width, .kernel = 3, .padding = 1, .gain = Gain::kLinear},
                   place, {".conv2", ".bn2", kBranchScale});
}

/// The stride is in the 3x3 convolution, as in today's implementations ("v1.5"): 4.1 G MACs. The
/// paper has it in the first 1x1 convolution: 3.8 G MACs.
ValueId bottleneck_branch(Layers& net, ValueId x, const BlockPlace& place) {
  const auto& [name, width, stride] = place;
  x = net.relu(conv_norm(net, x, {.channels = width}, place, {".conv1", ".bn1"}), name + ".relu1");
  x = conv_norm(net, x, {.channels = width, .kernel = 3, .stride = stride, .padding = 1}, place,
                {".conv2", ".bn2"});
  x = net.relu(x, name + ".relu2");
  return conv_norm(net, x, {.channels = 4 * width, .gain = Gain::kLinear}, place,
                   {".conv3", ".bn3", kBranchScale});
}

ValueId block(Layers& net, ValueId x, ResidualBlock kind, const BlockPlace& place) {
  const ValueId branch = kind == ResidualBlock::kBasic ? basic_branch(net, x, place)
                                                       : bottleneck_branch(net, x, place);
  if (net.shape(x) != net.shape(branch)) {
    x = conv_norm(
        net, x, {.channels = net.extent(branch, 1), .stride = place.stride, .gain = Gain::kLinear},
        place, {".downsample.0", ".downsample.1"});
  }
  return net.relu(net.add(Op::kAdd, {branch, x}, {}, place.name + ".add"), place.name + ".relu");
}

ValueId stem(Layers& net, ValueId x) {
  x = net.conv(x, {.channels = 64, .kernel = 7, .stride = 2, .padding = 3, .bias = false}, "conv1");
  x = net.relu(net.batch_norm(x, "bn1"), "relu");
  return net.pool(Op::kMaxPool, x, {.kernel = 3, .stride = 2, .padding = 1}, "maxpool");
}

graph::Graph resnet(std::string name, ResidualBlock kind,
                    const std::array<int, kStageCount>& blocks, const NetworkOptions& options) {
  Layers net(std::move(name), options.seed);
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 3, 224, 224});
  x = stem(net, x);
  for (std::size_t i = 0; i < kStageCount; ++i) {
    for (int j = 0; j < blocks[i]; ++j) {
      x = block(
          net, x, kind,
          {fmt::format("layer{}.{}", i + 1, j), std::int64_t{64} << i, i > 0 && j == 0 ? 2 : 1});
    }
  }
  x = net.flatten(net.add(Op::kGlobalAveragePool, {x}, {}, "avgpool"));
  return net.finish(net.gemm(x, 1000, "fc", Gain::kLinear), "logits");
}

}  // namespace

graph::Graph build_resnet18(const NetworkOptions& options) {
  return resnet("resnet18", ResidualBlock::kBasic, {2, 2, 2, 2}, options);
}

graph::Graph build_resnet50(const NetworkOptions& options) {
  return resnet("resnet50", ResidualBlock::kBottleneck, {3, 4, 6, 3}, options);
}

}  // namespace weft::networks
