#include "tests/schedule/small_networks.h"

#include <array>

#include "models/networks/layers.h"
#include "models/networks/networks.h"
#include "models/networks/transformers/attention.h"

namespace weft::compiler::testing {
namespace {

using graph::DataType;
using graph::Op;
using networks::ConvOptions;
using networks::Gain;
using networks::Layers;
using networks::ValueId;

graph::Graph lenet(std::int64_t batch) {
  return networks::build_network("lenet5", {.batch = batch});
}

ValueId conv_bn(Layers& net, ValueId x, const ConvOptions& options, const std::string& name) {
  return net.batch_norm(net.conv(x, options, name), name + ".bn");
}

graph::Graph residual_block(std::int64_t batch) {
  Layers net("residual", 3);
  const ValueId x = net.input("image", DataType::kFloat32, {batch, 5, 9, 7});
  ValueId y = net.relu(
      conv_bn(net, x, {.channels = 11, .kernel = 3, .stride = 2, .padding = 1}, "conv1"), "relu1");
  y = conv_bn(net, y, {.channels = 11, .kernel = 3, .padding = 1}, "conv2");
  const ValueId shortcut = conv_bn(net, x, {.channels = 11, .stride = 2}, "projection");
  y = net.relu(net.add(Op::kAdd, {y, shortcut}, {}, "sum"), "relu2");
  const ValueId pooled = net.pool(Op::kMaxPool, y, {.kernel = 3, .stride = 2, .padding = 1}, "max");
  return net.finish(pooled, "out");
}

graph::Graph depthwise_block(std::int64_t batch) {
  Layers net("depthwise", 4);
  ValueId x = net.input("image", DataType::kFloat32, {batch, 3, 10, 10});
  for (int block = 0; block < 2; ++block) {
    const std::string name = "block" + std::to_string(block);
    x = net.relu6(conv_bn(net, x, {.channels = 18}, name + ".expand"), name + ".relu1");
    x = net.relu6(
        conv_bn(net, x,
                {.channels = 18, .kernel = 3, .stride = 1 + block, .padding = 1, .groups = 18},
                name + ".depthwise"),
        name + ".relu2");
    x = conv_bn(net, x, {.channels = 10, .gain = Gain::kLinear}, name + ".project");
  }
  x = net.flatten(net.add(Op::kGlobalAveragePool, {x}, {}, "average"));
  return net.finish(net.gemm(x, 13, "classes", Gain::kLinear), "logits");
}

graph::Graph encoder_layer(std::int64_t batch) {
  constexpr std::int64_t kHidden = 16;
  Layers net("encoder", 5);
  const ValueId x = net.input("states", DataType::kFloat32, {batch, 5, kHidden});
  const ValueId context =
      attention(net, networks::project(net, x, "attention"), 2, graph::kNoValue, "attention");
  ValueId y = net.add(Op::kAdd, {net.dense(context, kHidden, "attention.out"), x}, {}, "sum1");
  y = net.layer_norm(y, 1e-5F, "norm1");
  const ValueId wide = networks::gelu(net, net.dense(y, 36, "mlp.up"), "gelu");
  const ValueId weight =
      net.parameter("mlp.down.weight", {36, kHidden}, networks::weights_for(36, Gain::kLinear));
  const ValueId mlp = net.add(Op::kMatMul, {wide, weight}, {}, "mlp.down");
  y = net.layer_norm(net.add(Op::kAdd, {mlp, y}, {}, "sum2"), 1e-5F, "norm2");
  return net.finish(y, "out");
}

graph::Graph lstm(std::int64_t batch) {
  constexpr std::int64_t kSide = 18;
  Layers net("lstm", 6);
  const ValueId x = net.input("x", DataType::kFloat32, {3, batch, 21});
  const ValueId w = net.parameter("w", {1, 4 * kSide, 21}, {0, 0.6F});
  const ValueId r = net.parameter("r", {1, 4 * kSide, kSide}, {0, 0.4F});
  const ValueId b = net.parameter("b", {1, 8 * kSide}, {0, 0.2F});
  const ValueId y = net.add(Op::kLstm, {x, w, r, b}, {{"hidden_size", kSide}}, "lstm");
  return net.finish(net.dense(net.add(Op::kSqueeze, {y, net.integers({1})}), 9, "decoder"), "out");
}

constexpr std::array<SmallNetwork, 5> kNetworks = {{
    {"lenet5", lenet, 1, 0.02, true},
    {"residual", residual_block, 2, 0.02, true},
    {"depthwise", depthwise_block, 1, 0.02, true},
    {"encoder", encoder_layer, 2, 0.04, false},
    {"lstm", lstm, 19, 0.02, false},
}};

}  // namespace

std::span<const SmallNetwork> small_networks() {
  return kNetworks;
}

}  // namespace weft::compiler::testing
