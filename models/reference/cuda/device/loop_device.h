// A device on this processor: loops run the bodies, and the loops that define BLAS's products
// compute the products. It is slow and meant for tests. With it, a machine without a CUDA device
// tests the whole CUDA backend except kernel launches and cuBLAS.
#pragma once

#include <string>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

class LoopDevice final : public Device {
 public:
  std::string name() const override { return "loops on this processor"; }
  Memory allocate(std::int64_t bytes) override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void run(const Body& body, std::int64_t count) override;
  /// Sums of float operands are accumulated in float32, one product after the other.
  void multiply(const ColumnMajorProduct& product) override;
  void wait() override {}
};

}  // namespace weft::cuda
