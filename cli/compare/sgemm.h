// The matrix product of a well-kept library: OpenBLAS if the system has it, else Weft's own
// reference kernels.
//
// The library is opened when it is first needed and not linked: it starts its threads as soon as it
// is loaded, which every other command of weft would pay for.
#pragma once

#include <functional>
#include <string>

#include "models/devices/gemm_model.h"

namespace weft::cli {

struct Sgemm {
  std::string library = {};  // "OpenBLAS 0.3.21"
  /// c [M,N] = a [M,K] * b [K,N] in float32, row-major, on all of the library's threads. Sizes are
  /// below 2^31.
  std::function<void(const float* a, const float* b, float* c, const devices::GemmShape& shape)>
      multiply;
};

/// The library if the system has it.
Sgemm find_sgemm();
/// Weft's own kernels.
Sgemm reference_sgemm();

}  // namespace weft::cli
