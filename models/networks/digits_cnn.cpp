#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {

/// A small network that learns the 8 x 8 digits well: two 3 x 3 convolutions, each with a pool that
/// halves the map, and one linear layer on the remaining 32 x 2 x 2 values.
graph::Graph build_digits_cnn(const NetworkOptions& options) {
  Layers net("digits-cnn", options.seed);
  const auto stage = [&](ValueId x, std::int64_t channels, const std::string& number) {
    x = net.conv(x, {.channels = channels, .kernel = 3, .padding = 1}, "conv" + number);
    x = net.relu(x, "relu" + number);
    return net.pool(Op::kMaxPool, x, {}, "pool" + number);
  };
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 1, 8, 8});
  x = stage(stage(x, 16, "1"), 32, "2");
  return net.finish(net.gemm(net.flatten(x), 10, "output", Gain::kLinear), "logits");
}

}  // namespace weft::networks
