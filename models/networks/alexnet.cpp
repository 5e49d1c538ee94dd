#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

constexpr PoolOptions kPool{.kernel = 3, .stride = 2};

ValueId conv_relu(Layers& net, ValueId x, const ConvOptions& options, const std::string& name) {
  return net.relu(net.conv(x, options, name), name + ".relu");
}

/// The last pool and the three fully connected layers, which both forms share.
graph::Graph classify(Layers& net, ValueId x) {
  x = net.flatten(net.pool(Op::kMaxPool, x, kPool, "pool5"));
  x = net.relu(net.gemm(x, 4096, "fc6", Gain::kRelu), "fc6.relu");
  x = net.relu(net.gemm(x, 4096, "fc7", Gain::kRelu), "fc7.relu");
  return net.finish(net.gemm(x, 1000, "fc8", Gain::kLinear), "logits");
}

/// Local response normalization across 5 maps with the paper's constants. ONNX divides alpha by the
/// number of maps, so alpha is 5 times the paper's.
ValueId normalize(Layers& net, ValueId x, std::string name) {
  return net.add(Op::kLrn, {x},
                 {{"size", std::int64_t{5}}, {"alpha", 5 * 1e-4F}, {"beta", 0.75F}, {"bias", 2.0F}},
                 std::move(name));
}

}  // namespace

/// The one-column form without normalization, as frameworks ship it.
graph::Graph build_alexnet(const NetworkOptions& options) {
  Layers net("alexnet", options.seed);
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 3, 224, 224});
  x = conv_relu(net, x, {.channels = 64, .kernel = 11, .stride = 4, .padding = 2}, "conv1");
  x = net.pool(Op::kMaxPool, x, kPool, "pool1");
  x = conv_relu(net, x, {.channels = 192, .kernel = 5, .padding = 2}, "conv2");
  x = net.pool(Op::kMaxPool, x, kPool, "pool2");
  x = conv_relu(net, x, {.channels = 384, .kernel = 3, .padding = 1}, "conv3");
  x = conv_relu(net, x, {.channels = 256, .kernel = 3, .padding = 1}, "conv4");
  x = conv_relu(net, x, {.channels = 256, .kernel = 3, .padding = 1}, "conv5");
  return classify(net, x);
}

/// The form of 2012, with local response normalization. Its two columns ran on two GPUs; here they
/// are groups. The paper says 224 x 224, but its 55 x 55 maps come from 227 x 227.
graph::Graph build_alexnet_2012(const NetworkOptions& options) {
  Layers net("alexnet-2012", options.seed);
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 3, 227, 227});
  x = conv_relu(net, x, {.channels = 96, .kernel = 11, .stride = 4}, "conv1");
  x = net.pool(Op::kMaxPool, normalize(net, x, "norm1"), kPool, "pool1");
  x = conv_relu(net, x, {.channels = 256, .kernel = 5, .padding = 2, .groups = 2}, "conv2");
  x = net.pool(Op::kMaxPool, normalize(net, x, "norm2"), kPool, "pool2");
  x = conv_relu(net, x, {.channels = 384, .kernel = 3, .padding = 1}, "conv3");
  x = conv_relu(net, x, {.channels = 384, .kernel = 3, .padding = 1, .groups = 2}, "conv4");
  x = conv_relu(net, x, {.channels = 256, .kernel = 3, .padding = 1, .groups = 2}, "conv5");
  return classify(net, x);
}

}  // namespace weft::networks
