#include <fmt/format.h>

#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {

/// Of CNN0 the paper says: 16 convolutions with ReLU, 8 M weights, batch 8, 2888 multiplications
/// per weight, which are 8 boards of 19 x 19 positions. So it is a network for Go. Its layers are
/// not published; these have the shapes of such networks (Silver et al., Mastering the Game of Go
/// with Deep Neural Networks and Tree Search, 2016: 48 planes, a 5 x 5 convolution, 3 x 3
/// convolutions, a 1 x 1 convolution to one map of moves) and together the 8 M weights.
graph::Graph build_cnn0(const NetworkOptions& options) {
  Layers net("cnn0", options.seed);
  ValueId x = net.input("board", graph::DataType::kFloat32, {options.batch, 48, 19, 19});
  int convolutions = 0;
  const auto conv = [&](const ConvOptions& convolution) {
    const std::string name = fmt::format("conv{}", ++convolutions);
    x = net.relu(net.conv(x, convolution, name), name + ".relu");
  };
  conv({.channels = 256, .kernel = 5, .padding = 2});
  for (int i = 0; i < 13; ++i) conv({.channels = 256, .kernel = 3, .padding = 1});
  conv({.channels = 64, .kernel = 1});
  conv({.channels = 1, .kernel = 1});
  return net.finish(x, "moves");
}

}  // namespace weft::networks
