// The matrix product of an optimized library: OpenBLAS if the system has it, else Weft's own
// reference kernels.
//
// The library is not linked but opened when it is first needed. It starts its threads when it is
// loaded, and every other command would pay for that.
#pragma once

#include <functional>
#include <string>

#include "models/devices/gemm_model.h"

namespace weft::runtime {

struct Sgemm {
  std::string library = {};  // "OpenBLAS 0.3.21"
  /// Computes c [M,N] = a [M,K] * b [K,N] in float32, row-major, on all of the library's threads.
  /// Sizes must be below 2^31.
  std::function<void(const float* a, const float* b, float* c, const devices::GemmShape& shape)>
      multiply;
};

/// OpenBLAS if the system has it, else reference_sgemm().
Sgemm find_sgemm();
/// Weft's own kernels.
Sgemm reference_sgemm();

}  // namespace weft::runtime
