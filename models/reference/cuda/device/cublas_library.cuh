// Opens cuBLAS when the first device is made, not when the program starts. cuBLAS and its
// dependencies take a tenth of a second and 200 MB, which programs that do not multiply on a device
// should not pay. Only .cu files include this header.
#pragma once

#include <cublas_v2.h>

namespace weft::cuda {

// cuBLAS overloads these names in C++; the casts inside decltype check the types against the
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

/// The functions that Weft calls, with cuBLAS's types. They are plain pointers: the library stays
/// open, because its threads and atexit handlers outlive any owner.
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

/// Throws InputError if the library cannot be opened or lacks a function.
CublasLibrary open_cublas();

}  // namespace weft::cuda
