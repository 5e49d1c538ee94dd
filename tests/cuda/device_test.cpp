// Tests launches, cuBLAS, memory and measurements on this computer's CUDA device. Skipped without
// one; operators_test.cpp and networks_test.cpp run the same computations in loops.
#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cuda/checks/operator_checks.h"

namespace weft::cuda {
namespace {

class CudaDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Availability found = cuda_available();
    if (!found.available) GTEST_SKIP() << "no CUDA device: " << found.reason;
    device_ = make_cuda_device();
  }

  static void expect_passed(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) {
      EXPECT_TRUE(outcome.passed) << outcome.name << ": " << outcome.detail;
    }
  }

  std::shared_ptr<Device> device_;
};

TEST(CudaPresenceTest, SaysWhyThereIsNoDevice) {
  const Availability found = cuda_available();
  if (found.available) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_NE(found.reason, "");
  try {
    make_cuda_device();
    FAIL() << "made a device where none is available";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "no CUDA device: " + found.reason);
  }
}

TEST_F(CudaDeviceTest, RunsEveryBodyAsTheProcessorDoes) {
  expect_passed(check_bodies(*device_, 5));
}

TEST_F(CudaDeviceTest, MultipliesInEveryArithmeticWithinItsBound) {
  expect_passed(check_products(*device_, 7));
}

TEST_F(CudaDeviceTest, RunsEveryOperator) {
  expect_passed(check_operators(device_, 20, 30));
}

TEST_F(CudaDeviceTest, RunsNetworksAndATrainingStep) {
  const TrainingStep step = training_step(11);
  for (const MatmulType type :
       {MatmulType::kFloat32, MatmulType::kTf32, MatmulType::kBf16, MatmulType::kFp16}) {
    expect_passed({check_network("training step", step.graph, step.inputs, device_, type)});
    for (const char* name : {"mlp", "lenet5", "resnet18", "mobilenetv2"}) {
      const graph::Graph graph = networks::build_network(name, {.batch = 2});
      expect_passed({check_network(name, graph, networks::sample_inputs(graph, 1), device_, type)});
    }
  }
}

TEST_F(CudaDeviceTest, LaunchesMoreElementsThanOneGridHas) {
  const std::int64_t count = (std::int64_t{1} << 28) + 5;
  const Memory memory = device_->allocate(count * 4);
  const std::uint32_t seven = 7;
  const Memory value = device_->allocate(4);
  device_->upload(value.get(), &seven, 4);
  device_->run(
      Fill<std::uint32_t>{elements_of<std::uint32_t>(value), elements_of<std::uint32_t>(memory)},
      count);
  std::uint32_t last = 0;
  device_->download(&last, elements_of<std::uint32_t>(memory) + count - 1, 4);
  EXPECT_EQ(last, 7U);
}

TEST_F(CudaDeviceTest, SaysThatItIsOutOfMemoryAndGoesOn) {
  try {
    device_->allocate(std::int64_t{1} << 42);
    FAIL() << "allocated 4 TiB";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("out of GPU memory: ", 0), 0U) << error.what();
  }
  expect_passed(check_products(*device_, 7));
}

TEST_F(CudaDeviceTest, MeasuresAProduct) {
  for (const MatmulType type : kMatmulTypes) {
    const MatmulMeasurement result = measure_matmul(type, 1024, 1024, 1000);
    EXPECT_GT(result.seconds, 0);
    EXPECT_LE(result.fastest_seconds, result.seconds);
    EXPECT_GT(result.clock_mhz, 0);
    EXPECT_EQ(result.n, type == MatmulType::kInt8 ? 1008 : 1000);
    // No device exceeds its peak, but the clock may rise between two readings.
    const double operations = 2.0 * 1024 * 1024 * static_cast<double>(result.n);
    if (result.peak_ops > 0) {
      EXPECT_LT(operations / result.seconds, 1.2 * result.peak_ops);
    }
  }
}

}  // namespace
}  // namespace weft::cuda
