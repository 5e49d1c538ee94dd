// A device that is this processor: bodies run in loops, products as the loops by which BLAS defines
// them. Slow; it is for tests, which thus run everything of the CUDA backend but the launches and
// cuBLAS on a machine without a CUDA device.
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
  /// Sums of float operands are taken in float32, one product after the other.
  void multiply(const ColumnMajorProduct& product) override;
  void wait() override {}
};

}  // namespace weft::cuda
