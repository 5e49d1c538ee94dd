// Each operator of the CUDA backend must give the CPU reference's result. Its bodies run in loops
// here, and products run as BLAS defines them. So everything except launches and cuBLAS is tested
// without a device; device_test.cpp runs the same on one.
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

TEST(CudaOperatorsTest, HaveACaseForEveryBody) {
  LoopDevice device;
  const std::vector<Outcome> outcomes = check_bodies(device, 5);
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.passed) << outcome.name << ": " << outcome.detail;
  }
  std::cout << outcomes.size() << " checks, " << outcomes.back().detail << " bodies\n";
}

/// Does not compute the last element of any result.
class ForgetfulDevice final : public Device {
 public:
  std::string name() const override { return "forgetful"; }
  Memory allocate(std::int64_t bytes) override {
    Memory memory = loops_.allocate(bytes);
    // No element that a case draws consists of these bytes.
    const std::vector<unsigned char> marks(static_cast<std::size_t>(bytes), 0xAA);
    loops_.upload(memory.get(), marks.data(), bytes);
    return memory;
  }
  void upload(void* to, const void* from, std::int64_t bytes) override {
    loops_.upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    loops_.download(to, from, bytes);
  }
  void run(const Body& body, std::int64_t count) override { loops_.run(body, count - 1); }
  void multiply(const ColumnMajorProduct& product) override {
    ColumnMajorProduct shorter = product;
    --shorter.m;
    loops_.multiply(shorter);
  }
  void wait() override {}

 private:
  LoopDevice loops_;
};

TEST(CudaOperatorsTest, NoticeADeviceThatIsWrongInOneElement) {
  ForgetfulDevice device;
  for (const Outcome& outcome : check_products(device, 7)) {
    EXPECT_FALSE(outcome.passed) << outcome.name;
  }
  std::vector<Outcome> bodies = check_bodies(device, 5);
  bodies.pop_back();
  for (const Outcome& outcome : bodies) EXPECT_FALSE(outcome.passed) << outcome.name;
}

}  // namespace
}  // namespace weft::cuda
