#include "models/reference/cpu/product/gemm.h"

namespace weft::reference {

void gemm_float_baseline(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_baseline(const double* a, const double* b, double* c, GemmSize shape);
#ifdef WEFT_GEMM_X86_64
void gemm_float_v3(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_v3(const double* a, const double* b, double* c, GemmSize shape);
void gemm_float_v4(const float* a, const float* b, float* c, GemmSize shape);
void gemm_double_v4(const double* a, const double* b, double* c, GemmSize shape);
#endif

GemmVersions gemm_versions() {
  GemmVersions all;
  all.versions[all.count++] = {"baseline", true, gemm_float_baseline, gemm_double_baseline};
#ifdef WEFT_GEMM_X86_64
  all.versions[all.count++] = {"x86-64-v3", __builtin_cpu_supports("x86-64-v3") != 0, gemm_float_v3,
                               gemm_double_v3};
  all.versions[all.count++] = {"x86-64-v4", __builtin_cpu_supports("x86-64-v4") != 0, gemm_float_v4,
                               gemm_double_v4};
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
