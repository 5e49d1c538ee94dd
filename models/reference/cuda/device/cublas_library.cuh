// cuBLAS, opened when the first device is made and not when the program starts: with its
// dependences it takes a tenth of a second and 200 MB, which a weft that multiplies nothing on a
// device should not pay. Included by .cu files only.
#pragma once

#include <cublas_v2.h>

namespace weft::cuda {

// cuBLAS overloads these names in C++; the casts inside decltype hold the types to the
// declarations.
using GemmEx =
    decltype(static_cast<cublasStatus_t(CUBLASWINAPI*)(
                 cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                 const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                 cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t)>(&::cublasGemmEx));
using GemmStridedBatchedEx =
    decltype(static_cast<cublasStatus_t(CUBLASWINAPI*)(
                 cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                 const void*, cudaDataType, int, long long, const void*, cudaDataType, int,
                 long long, const void*, void*, cudaDataType, int, long long, int,
                 cublasComputeType_t, cublasGemmAlgo_t)>(&::cublasGemmStridedBatchedEx));

/// The functions that Weft calls, under cuBLAS's own names and types. Plain pointers: the library
/// stays open, since its own threads and atexit handlers outlive any owner.
struct CublasLibrary {
  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasDestroy_v2) destroy = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&::cublasSetMathMode) set_math_mode = nullptr;
  GemmEx gemm = nullptr;
  GemmStridedBatchedEx gemm_batched = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;

  /// Throws InputError "cuBLAS failed: WHAT: the reason", or "out of GPU memory: WHAT".
  void check(cublasStatus_t status, const char* what) const;
};

/// Throws InputError if the library is not to be had, or lacks a function.
CublasLibrary open_cublas();

}  // namespace weft::cuda
