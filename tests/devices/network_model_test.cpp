// A network's time is the sum of the times of its nodes, each worked out by hand.
#include "models/devices/network_model.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"

namespace weft::devices {
namespace {

using enum NumberFormat;
using graph::Op;
using graph::Tensor;

/// [256, 512] x [512, 128], Relu, Reshape, Softmax. Relu and Softmax move bytes; Reshape is free.
graph::Graph small_network() {
  graph::Builder builder("net");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {256, 512}});
  const auto w = builder.constant(Tensor(graph::DataType::kFloat32, {512, 128}));
  const auto product = builder.add(Op::kMatMul, {x, w}, {}, "product");
  const auto relu = builder.add(Op::kRelu, {product}, {}, "relu");
  const auto shape = builder.constant(Tensor::vector<std::int64_t>({128, 256}));
  const auto view = builder.add(Op::kReshape, {relu, shape}, {}, "view");
  builder.output(builder.add(Op::kSoftmax, {view}, {}, "softmax"), "y");
  return builder.finish();
}

TEST(NetworkModelTest, TheTimeIsTheSumOfProductsAndTraffic) {
  const DeviceModel& titan = *find_device("titan-rtx");
  const NetworkModel model = model_network(titan, kFp16, small_network());
  ASSERT_EQ(model.layers.size(), 3U);
  EXPECT_EQ(model.layers[0].name, "product");
  EXPECT_EQ(model.layers[1].name, "relu");
  EXPECT_EQ(model.layers[2].name, "softmax");
  EXPECT_EQ(model.layers[0].shape, (GemmShape{256, 512, 128}));
  // 8 tiles of 64 x 64 on 72 SMs: 64 * 64 * 512 * 2 FLOP at 1024 per clock. Memory takes less time.
  const double product = 2.0 * 64 * 64 * 512 / 1024 / 1.77e9;
  const double rate = 672e9 * 0.937;
  const double bytes = (256.0 * 512 + 512 * 128 + 256 * 128) * 2 / rate;
  ASSERT_LT(bytes, product);
  EXPECT_DOUBLE_EQ(model.product_seconds, product);
  // Relu and Softmax each read and write 256 * 128 elements of 2 bytes.
  EXPECT_DOUBLE_EQ(model.traffic_seconds, 2 * (2 * 256.0 * 128 * 2) / rate);
  // Three kernels, 5 us each until they start.
  EXPECT_DOUBLE_EQ(model.launch_seconds, 15e-6);
  EXPECT_DOUBLE_EQ(model.layers[0].seconds, 5e-6 + product);
  EXPECT_DOUBLE_EQ(model.layers[1].seconds, 5e-6 + 2 * 256.0 * 128 * 2 / rate);
  EXPECT_DOUBLE_EQ(model.seconds(),
                   model.product_seconds + model.traffic_seconds + model.launch_seconds);
  EXPECT_DOUBLE_EQ(model.useful_flop, 2.0 * 256 * 512 * 128);
  EXPECT_DOUBLE_EQ(model.padding(), 0);
  EXPECT_DOUBLE_EQ(model.waste(), 1 - 8.0 / 72);
}

TEST(NetworkModelTest, WiderElementsTakeMoreTraffic) {
  const DeviceModel& a100 = *find_device("a100");
  const graph::Graph graph = small_network();
  EXPECT_DOUBLE_EQ(model_network(a100, kTf32, graph).traffic_seconds,
                   2 * model_network(a100, kFp16, graph).traffic_seconds);
}

TEST(NetworkModelTest, ADeviceHoldsInputsOutputsAndTheConstantsThatAreRead) {
  graph::Graph graph = small_network();
  // Input, weights and result; the Reshape reads two int64.
  const double elements = 256.0 * 512 + 512 * 128 + 256 * 128;
  EXPECT_EQ(network_bytes(graph, kFp16), 2 * elements + 16);
  EXPECT_EQ(network_bytes(graph, kFp32), 4 * elements + 16);
  EXPECT_EQ(network_bytes(graph, kInt8), elements + 16);
  // A second reader needs no second copy.
  graph.nodes.push_back(graph.nodes.front());
  EXPECT_EQ(network_bytes(graph, kFp16), 2 * elements + 16);
}

TEST(NetworkModelTest, ARecurrenceThatIsNotUnrolledIsRefused) {
  graph::Builder builder("net");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {5, 1, 3}});
  const auto w = builder.constant(Tensor(graph::DataType::kFloat32, {1, 4, 3}));
  const auto r = builder.constant(Tensor(graph::DataType::kFloat32, {1, 4, 4}));
  const auto outputs =
      builder.add(Op::kRnn, {x, w, r}, {{"hidden_size", std::int64_t{4}}}, "cell", {"y", ""});
  builder.output(outputs.at(0), "y");
  const graph::Graph graph = builder.finish();
  try {
    model_network(*find_device("a100"), kFp16, graph);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cell"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::devices
