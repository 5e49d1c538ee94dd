// Matrix products in cuBLAS's form. Weft's matrices are row-major, cuBLAS's are column-major. A
// row-major matrix read as column-major is its transpose:
//
//   C = op(A) op(B)  row-major   is   C^T = op(B)^T op(A)^T  column-major
//
// So the operands trade places, and nothing is copied.
#pragma once

#include <cstdint>

#include "models/reference/cuda/device/matmul_type.h"

namespace weft::cuda {

/// C[i] [m,n] = op(A[i]) op(B[i]) for i < batches, all row-major and dense. A is [m,k], or [k,m] if
/// it is transposed; B is [k,n], or [n,k]. A and B have elements of `type`. C has float32 elements,
/// int32 for int8, or elements of `type` with `narrow_result` (bf16 and fp16 only).
struct DeviceProduct {
  MatmulType type = MatmulType::kFloat32;
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool narrow_result = false;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t batches = 1;
  std::int64_t stride_a = 0;  // elements from one batch to the next; 0: all batches share it
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
};

/// The arguments of cublasGemmStridedBatchedEx, with alpha = 1 and beta = 0.
struct ColumnMajorProduct {
  MatmulType type = MatmulType::kFloat32;
  bool narrow_result = false;
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  std::int64_t stride_a = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  std::int64_t stride_b = 0;
  void* c = nullptr;
  std::int64_t ldc = 0;
  std::int64_t stride_c = 0;
  std::int64_t batches = 1;
};

/// Throws InputError if an extent exceeds cuBLAS's 32 bits, or if an int8 product does not suit the
/// tensor cores: every extent must be a multiple of kInt8Multiple, B transposed, A not.
ColumnMajorProduct column_major(const DeviceProduct& product);

inline constexpr std::int64_t kInt8Multiple = 16;
/// Rounds up to a multiple of kInt8Multiple.
constexpr std::int64_t int8_padded(std::int64_t extent) {
  return (extent + kInt8Multiple - 1) / kInt8Multiple * kInt8Multiple;
}

}  // namespace weft::cuda
