#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {

/// Layers C1 to F6 of the paper, with tanh and average pools. Three details follow common practice:
/// the first convolution pads the 28 x 28 image to 32 x 32, C3 sees all maps of S2 (the paper omits
/// 600 of its 2400 connections to save time), and the output is a linear layer instead of radial
/// basis functions.
graph::Graph build_lenet5(const NetworkOptions& options) {
  Layers net("lenet5", options.seed);
  const auto tanh = [&](ValueId x, const char* name) { return net.add(Op::kTanh, {x}, {}, name); };
  const auto conv = [&](ValueId x, std::int64_t channels, std::int64_t padding, const char* name) {
    return net.conv(
        x, {.channels = channels, .kernel = 5, .padding = padding, .gain = Gain::kLinear}, name);
  };
  ValueId x = net.input("image", graph::DataType::kFloat32, {options.batch, 1, 28, 28});
  x = tanh(conv(x, 6, 2, "c1"), "c1.tanh");
  x = net.pool(Op::kAveragePool, x, {}, "s2");
  x = tanh(conv(x, 16, 0, "c3"), "c3.tanh");
  x = net.pool(Op::kAveragePool, x, {}, "s4");
  x = tanh(conv(x, 120, 0, "c5"), "c5.tanh");
  x = tanh(net.gemm(net.flatten(x), 84, "f6", Gain::kLinear), "f6.tanh");
  return net.finish(net.gemm(x, 10, "output", Gain::kLinear), "logits");
}

}  // namespace weft::networks
