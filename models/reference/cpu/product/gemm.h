// The matrix products under the CPU reference, compiled once for each instruction set level of
// x86-64 and chosen at run time.
//
// Why raw pointers and plain functions: the three versions come from one source compiled with
// different flags. The linker would merge any inline function or template that they share with the
// rest of the program into one copy, possibly one with instructions that this processor lacks. So
// they share none: each version renames the whole namespace Eigen, and only pointers cross the
// boundary (gemm_kernel.inc).
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::reference {

/// c [m,n] += a [m,k] * b [k,n]; all row-major and dense, not overlapping.
struct GemmSize {
  std::ptrdiff_t m = 0;
  std::ptrdiff_t k = 0;
  std::ptrdiff_t n = 0;
};
using GemmFloat = void (*)(const float* a, const float* b, float* c, GemmSize shape);
using GemmDouble = void (*)(const double* a, const double* b, double* c, GemmSize shape);

struct GemmKernels {
  std::string_view name;
  bool supported = false;  // by this processor
  GemmFloat multiply_float = nullptr;
  GemmDouble multiply_double = nullptr;
};

/// The versions in this build. The first is always plain x86-64, or the plain version of another
/// architecture.
inline constexpr std::size_t kMaxGemmVersions = 3;
struct GemmVersions {
  GemmKernels versions[kMaxGemmVersions];
  std::size_t count = 0;
};
GemmVersions gemm_versions();

/// The best version that this processor supports.
GemmKernels best_gemm();

}  // namespace weft::reference
