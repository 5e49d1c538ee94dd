// Every CUDA call goes through check(), which turns a failure into an InputError of one line.
// cuBLAS calls go through CublasLibrary::check(). Only .cu files include this header.
#pragma once

#include <cuda_runtime.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace weft::cuda {

/// Throws InputError "out of GPU memory: WHAT" or "CUDA failed: WHAT: the reason".
inline void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that no later call reports it
  if (status == cudaErrorMemoryAllocation) throw InputError("out of GPU memory: " + what);
  throw InputError("CUDA failed: " + what + ": " + cudaGetErrorString(status));
}

}  // namespace weft::cuda
