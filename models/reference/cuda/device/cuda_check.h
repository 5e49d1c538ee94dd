// Every call of CUDA and cuBLAS goes through check(), which turns a failure into an InputError of
// one line. Included by .cu files only.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <sstream>
#include <string>

#include "sim/config/error.h"

namespace weft::cuda {

/// Throws InputError "out of GPU memory: WHAT" or "CUDA failed: WHAT: the reason".
inline void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky is not to be reported by a later call
  if (status == cudaErrorMemoryAllocation) throw InputError("out of GPU memory: " + what);
  throw InputError("CUDA failed: " + what + ": " + cudaGetErrorString(status));
}

inline void check(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw InputError("out of GPU memory: " + what);
  throw InputError("cuBLAS failed: " + what + ": " + cublasGetStatusString(status));
}

}  // namespace weft::cuda
