#include "models/reference/cpu/product/gemm.h"

#ifdef WEFT_GEMM_X86_64
#include <cpuid.h>
#endif

namespace weft::reference {

void gemm_float_baseline(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_baseline(const double* a, const double* b, double* c, GemmSize shape);
#ifdef WEFT_GEMM_X86_64
void gemm_float_v3(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_v3(const double* a, const double* b, double* c, GemmSize shape);
void gemm_float_v4(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_v4(const double* a, const double* b, double* c, GemmSize shape);

namespace {

/// True if CPUID sets these bits of ECX in this leaf.
bool has_cpuid_bits(unsigned leaf, unsigned bits) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bits) == bits;
}

// The levels as the psABI of x86-64 defines them, feature by feature. GCC's __builtin_cpu_supports
// knows them by name, but Clang 14, the parser of clang-tidy, knows features only. CPUID tells the
// features that Clang lacks. The builtin tells the others, because it also asks whether the
// operating system saves wide registers.
bool supports_v3() {
  return has_cpuid_bits(1, bit_CMPXCHG16B | bit_F16C | bit_MOVBE) &&
         has_cpuid_bits(0x80000001, bit_LAHF_LM | bit_LZCNT) && __builtin_cpu_supports("popcnt") &&
         __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
}

bool supports_v4() {
  return supports_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

}  // namespace
#endif

GemmVersions gemm_versions() {
  GemmVersions all;
  all.versions[all.count++] = {"baseline", true, gemm_float_baseline, gemm_double_baseline};
#ifdef WEFT_GEMM_X86_64
  all.versions[all.count++] = {"x86-64-v3", supports_v3(), gemm_float_v3, gemm_double_v3};
  all.versions[all.count++] = {"x86-64-v4", supports_v4(), gemm_float_v4, gemm_double_v4};
#endif
  return all;
}

GemmKernels best_gemm() {
  const GemmVersions all = gemm_versions();
  GemmKernels best = all.versions[0];
  for (std::size_t i = 1; i < all.count; ++i) {
    if (all.versions[i].supported) best = all.versions[i];
  }
  return best;
}

}  // namespace weft::reference
