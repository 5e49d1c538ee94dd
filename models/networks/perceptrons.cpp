#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

/// Fully connected layers with ReLU between them. The first width is the input's.
graph::Graph perceptron(std::string name, const std::string& input, const Ints& widths,
                        const NetworkOptions& options) {
  Layers net(std::move(name), options.seed);
  ValueId x = net.input(input, graph::DataType::kFloat32, {options.batch, widths.front()});
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const std::string layer = "fc" + std::to_string(i);
    const bool last = i + 1 == widths.size();
    x = net.gemm(x, widths[i], layer, last ? Gain::kLinear : Gain::kRelu);
    if (!last) x = net.relu(x, layer + ".relu");
  }
  return net.finish(x, "output");
}

}  // namespace

graph::Graph build_digits_mlp(const NetworkOptions& options) {
  return perceptron("digits-mlp", "image", {64, 32, 10}, options);
}

graph::Graph build_mlp(const NetworkOptions& options) {
  return perceptron("mlp", "image", {784, 512, 512, 10}, options);
}

/// The paper states five layers and 20 million weights, as many as five square layers of 2000 have.
graph::Graph build_mlp0(const NetworkOptions& options) {
  return perceptron("mlp0", "features", Ints(6, 2000), options);
}

}  // namespace weft::networks
