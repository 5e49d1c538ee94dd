// Every call of CUDA goes through check(), which turns a failure into an InputError of one line;
// those of cuBLAS through CublasLibrary::check(). Included by .cu files only.
#pragma once

#include <cuda_runtime.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace weft::cuda {

/// Throws InputError "out of GPU memory: WHAT" or "CUDA failed: WHAT: the reason".
inline void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky is not to be reported by a later call
  if (status == cudaErrorMemoryAllocation) throw InputError("out of GPU memory: " + what);
  throw InputError("CUDA failed: " + what + ": " + cudaGetErrorString(status));
}

}  // namespace weft::cuda
