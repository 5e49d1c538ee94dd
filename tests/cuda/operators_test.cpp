// Does every operator of the CUDA backend give what the CPU reference gives? Here its bodies run in
// loops and its products as BLAS defines them, so that all but launches and cuBLAS is tested on a
// machine without a device (device_test.cpp runs the same on one).
#include <gtest/gtest.h>

#include <iostream>

#include "models/reference/cuda/checks/operator_checks.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

TEST(CudaOperatorsTest, GiveTheCpuReferencesValuesOnRandomNodes) {
  constexpr std::uint64_t kSeed = 20;
  constexpr int kRounds = 150;
  std::cout << "seed " << kSeed << ", " << kRounds << " rounds\n";
  for (const Outcome& outcome : check_operators(std::make_shared<LoopDevice>(), kSeed, kRounds)) {
    EXPECT_TRUE(outcome.passed) << outcome.name << ": " << outcome.detail;
  }
}

TEST(CudaOperatorsTest, MultiplyInEveryArithmeticWithinItsBound) {
  LoopDevice device;
  for (const Outcome& outcome : check_products(device, 7)) {
    EXPECT_TRUE(outcome.passed) << outcome.name << ": " << outcome.detail;
    std::cout << outcome.name << ": " << outcome.detail << '\n';
  }
}

}  // namespace
}  // namespace weft::cuda
