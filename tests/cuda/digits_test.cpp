// Training on the handwritten digits, with gradients, updates and evaluation, must learn as well
// with the CUDA backend's bodies, run in loops, as with the CPU reference.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/device/loop_device.h"
#include "models/training/cpu_backend.h"
#include "models/training/trainer.h"

namespace weft::cuda {
namespace {

/// A graph with the runner that refers to it.
struct Prepared {
  Prepared(graph::Graph given, const std::shared_ptr<Device>& device, MatmulType type)
      : graph(std::move(given)), runner(graph, device, {.matmul = type}) {}

  graph::Graph graph;
  DeviceGraphRunner runner;
};

training::Backend backend_on(const std::shared_ptr<Device>& device, MatmulType type) {
  return [type, device](training::PassGraph pass) {
    const auto prepared = std::make_shared<Prepared>(std::move(pass.graph), device, type);
    EXPECT_EQ(prepared->runner.cpu_nodes(), std::vector<std::string>());
    return [prepared](const NamedTensors& inputs) { return prepared->runner.run(inputs); };
  };
}

training::Backend loops(MatmulType type) {
  return backend_on(std::make_shared<LoopDevice>(), type);
}

class CudaDigitsTest : public ::testing::Test {
 protected:
  training::Trainer trainer(const training::Backend& backend) const {
    training::TrainerOptions options;
    options.optimizer.learning_rate = 0.05;
    options.optimizer.momentum = 0.9;
    return {network_, data_, options, backend};
  }

  /// Returns the test accuracy after `epochs`.
  double accuracy(const training::Backend& backend, std::uint64_t epochs) const {
    training::Trainer one = trainer(backend);
    while (one.state().epoch < epochs) {
      while (!one.epoch_done()) one.step();
      one.finish_epoch({}, 0);
    }
    return one.state().log.back().test_accuracy;
  }

  /// Checks the accuracy in each arithmetic. `backend_for` makes the backend for one of them.
  template <class BackendFor>
  void expect_learnt(BackendFor backend_for) const {
    constexpr std::uint64_t kEpochs = 5;
    const double expected = accuracy(training::prepare_on_cpu, kEpochs);
    EXPECT_GT(expected, 0.9);
    for (const MatmulType type :
         {MatmulType::kFloat32, MatmulType::kTf32, MatmulType::kBf16, MatmulType::kFp16}) {
      const double reached = accuracy(backend_for(type), kEpochs);
      std::cout << to_string(type) << ": " << reached << ", the CPU reference " << expected << '\n';
      EXPECT_NEAR(reached, expected, 0.02) << to_string(type);
    }
  }

  data::Dataset data_ = data::digits8x8();
  graph::Graph network_ = networks::build_network("digits-mlp", {.batch = 32});
};

// The two sum products in different orders. Each loss differs by a few roundings of 2^-24, and a
// step carries the difference on with factors near 1.
TEST_F(CudaDigitsTest, HaveTheLossesOfTheCpuReferenceInFloat32) {
  training::Trainer here = trainer(training::prepare_on_cpu);
  training::Trainer there = trainer(loops(MatmulType::kFloat32));
  for (int step = 0; step < 20; ++step) {
    const double expected = here.step();
    EXPECT_NEAR(there.step(), expected, 1e-4 * expected) << "step " << step;
  }
}

TEST_F(CudaDigitsTest, AreLearntInEveryArithmetic) {
  expect_learnt(loops);
}

TEST_F(CudaDigitsTest, AreLearntOnTheDevice) {
  const Availability found = cuda_available();
  if (!found.available) GTEST_SKIP() << "no CUDA device: " << found.reason;
  const std::shared_ptr<Device> device = make_cuda_device();
  expect_learnt([&](MatmulType type) { return backend_on(device, type); });
}

}  // namespace
}  // namespace weft::cuda
