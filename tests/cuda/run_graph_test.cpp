// The executor must copy values to the device and back, and only when necessary.
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Op;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

const ValueType kFour{DataType::kFloat32, {4}};

/// Counts copies, and refuses allocations larger than `limit`.
class CountingDevice final : public Device {
 public:
  std::string name() const override { return "counting"; }
  Memory allocate(std::int64_t bytes) override {
    if (bytes > limit) throw InputError("out of GPU memory: counting has no memory left");
    return loops_.allocate(bytes);
  }
  void upload(void* to, const void* from, std::int64_t bytes) override {
    ++uploads;
    loops_.upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    ++downloads;
    loops_.download(to, from, bytes);
  }
  void run(const Body& body, std::int64_t count) override { loops_.run(body, count); }
  void multiply(const ColumnMajorProduct& product) override { loops_.multiply(product); }
  void wait() override {}

  int uploads = 0;
  int downloads = 0;
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();

 private:
  LoopDevice loops_;
};

Tensor four(const std::vector<float>& values) {
  return Tensor::of<float>({4}, values);
}

// y = relu(x * 3) + 1.
Graph small_graph() {
  Builder builder("small");
  const ValueId x = builder.input("x", kFour);
  const ValueId three = builder.constant(Tensor::scalar(3.0F));
  const ValueId one = builder.constant(Tensor::scalar(1.0F));
  const ValueId product = builder.add(Op::kMul, {x, three}, {}, "product");
  builder.output(builder.add(Op::kAdd, {builder.add(Op::kRelu, {product}), one}, {}, "sum"), "y");
  return builder.finish();
}

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(CudaRunGraphTest, GivesTheOutputsByName) {
  const Graph graph = small_graph();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  EXPECT_EQ(runner.run({{"x", four({-1, 0, 1, 2})}}).at("y"), four({1, 1, 4, 7}));
}

TEST(CudaRunGraphTest, CopiesConstantsOnceAndATensorThatIsTheSameNotAgain) {
  const auto device = std::make_shared<CountingDevice>();
  const Graph graph = small_graph();
  DeviceGraphRunner runner(graph, device);
  const Tensor x = four({-1, 0, 1, 2});
  runner.run({{"x", x}});
  EXPECT_EQ(device->uploads, 3);
  EXPECT_EQ(device->downloads, 1);
  runner.run({{"x", x}});
  EXPECT_EQ(device->uploads, 3);
  EXPECT_EQ(runner.run({{"x", four({1, 1, 1, 1})}}).at("y"), four({4, 4, 4, 4}));
  EXPECT_EQ(device->uploads, 4);
}

TEST(CudaRunGraphTest, SeesATensorThatWasWrittenToSinceTheLastRun) {
  const Graph graph = small_graph();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  Tensor x = four({1, 1, 1, 1});
  runner.run({{"x", x}});
  x.mutable_data<float>()[2] = 5;
  EXPECT_EQ(runner.run({{"x", x}}).at("y"), four({4, 4, 16, 4}));
}

TEST(CudaRunGraphTest, MakesConstantsAgainIfTheyMayChange) {
  float factor = 2;
  Builder builder("changing");
  const ValueId x = builder.input("x", kFour);
  const ValueId constant = builder.constant(
      graph::Constant(ValueType{DataType::kFloat32, {}}, [&] { return Tensor::scalar(factor); }));
  builder.output(builder.add(Op::kMul, {x, constant}), "y");
  const Graph graph = builder.finish();
  DeviceRunOptions options;
  options.keep_constants = false;
  DeviceGraphRunner fresh(graph, std::make_shared<LoopDevice>(), options);
  DeviceGraphRunner kept(graph, std::make_shared<LoopDevice>());
  for (DeviceGraphRunner* runner : {&fresh, &kept}) runner->run({{"x", four({1, 1, 1, 1})}});
  factor = 3;
  EXPECT_EQ(fresh.run({{"x", four({1, 1, 1, 1})}}).at("y"), four({3, 3, 3, 3}));
  EXPECT_EQ(kept.run({{"x", four({1, 1, 1, 1})}}).at("y"), four({2, 2, 2, 2}));
}

TEST(CudaRunGraphTest, RunsWhatTheDeviceHasNotOnTheCpuAndNamesIt) {
  Builder builder("mixed");
  const ValueId x = builder.input("x", kFour);
  const ValueId doubled = builder.add(Op::kAdd, {x, x});
  const ValueId wide = builder.add(Op::kCast, {doubled}, {{"to", std::int64_t{11}}}, "to_float64");
  const ValueId root = builder.add(Op::kSqrt, {wide}, {}, "root");
  const ValueId narrow = builder.add(Op::kCast, {root}, {{"to", std::int64_t{1}}}, "back");
  builder.output(builder.add(Op::kNeg, {narrow}), "y");
  const Graph graph = builder.finish();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  EXPECT_EQ(runner.run({{"x", four({0, 2, 8, 18})}}).at("y"), four({-0.0F, -2, -4, -6}));
  const std::vector<std::string> expected = {"node 'to_float64' (Cast)", "node 'root' (Sqrt)",
                                             "node 'back' (Cast)"};
  EXPECT_EQ(runner.cpu_nodes(), expected);
}

TEST(CudaRunGraphTest, ShowsEveryNodesOutputsToTheObserver) {
  const Graph graph = small_graph();
  std::vector<std::string> seen;
  DeviceRunOptions options;
  options.observer = [&](const graph::Node& node, std::span<const Tensor> outputs) {
    seen.push_back(node.name);
    EXPECT_EQ(outputs.size(), 1U);
    if (node.name == "product") {
      EXPECT_EQ(outputs[0], four({-3, 0, 3, 6}));
    }
  };
  DeviceGraphRunner(graph, std::make_shared<LoopDevice>(), options)
      .run({{"x", four({-1, 0, 1, 2})}});
  EXPECT_EQ(seen.size(), 3U);
}

TEST(CudaRunGraphTest, GivesAnInputAsAnOutput) {
  Builder builder("through");
  const ValueId x = builder.input("x", kFour);
  builder.output(x, "same");
  builder.output(
      builder.add(Op::kReshape, {x, builder.constant(Tensor::vector<std::int64_t>({2, 2}))}),
      "square");
  const Graph graph = builder.finish();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  const NamedTensors outputs = runner.run({{"x", four({1, 2, 3, 4})}});
  EXPECT_EQ(outputs.at("same"), four({1, 2, 3, 4}));
  EXPECT_EQ(outputs.at("square"), Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
}

TEST(CudaRunGraphTest, SaysWhichNodeIsOutOfMemoryAndRunsAgainAfterwards) {
  const auto device = std::make_shared<CountingDevice>();
  const Graph graph = small_graph();
  DeviceGraphRunner runner(graph, device);
  device->limit = 8;
  EXPECT_EQ(message_of([&] {
              runner.run({{"x", four({1, 1, 1, 1})}});
            }),
            "node 'product' (Mul): out of GPU memory: counting has no memory left");
  device->limit = 1024;
  EXPECT_EQ(runner.run({{"x", four({1, 1, 1, 1})}}).at("y"), four({4, 4, 4, 4}));
}

TEST(CudaRunGraphTest, RefusesInputsAndOptionsThatDoNotFit) {
  const Graph graph = small_graph();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  EXPECT_EQ(message_of([&] { runner.run({}); }), "graph 'small': input 'x' (float32 4) is missing");
  EXPECT_EQ(message_of([&] {
              runner.run({{"x", Tensor::scalar(1.0F)}});
            }),
            "graph 'small': input 'x' must be float32 4, not float32 scalar");
  DeviceRunOptions options;
  options.matmul = MatmulType::kInt8;
  EXPECT_EQ(message_of([&] { DeviceGraphRunner(graph, std::make_shared<LoopDevice>(), options); }),
            "a float32 network cannot run in int8; quantize it first");
}

TEST(CudaRunGraphTest, NamesAnIndexOutOfRange) {
  Builder builder("gather");
  const ValueId x = builder.input("x", kFour);
  const ValueId i = builder.input("i", {DataType::kInt64, {1}});
  builder.output(builder.add(Op::kGather, {x, i}, {}, "pick"), "y");
  const Graph graph = builder.finish();
  DeviceGraphRunner runner(graph, std::make_shared<LoopDevice>());
  EXPECT_EQ(message_of([&] {
              runner.run({{"x", four({1, 2, 3, 4})}, {"i", Tensor::vector<std::int64_t>({4})}});
            }),
            "node 'pick' (Gather): index 4 is outside of -4..3");
}

}  // namespace
}  // namespace weft::cuda
