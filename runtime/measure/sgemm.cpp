#include "runtime/measure/sgemm.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "models/reference/cpu/product/gemm.h"
#include "runtime/measure/product_values.h"

namespace weft::runtime {
namespace {

using devices::GemmShape;

// The C interface to BLAS, which has the same binary form in every library.
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);
using GetConfig = char* (*)();

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

/// Shortens "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." to "OpenBLAS 0.3.21".
std::string library_name(void* library) {
  const auto config = symbol<GetConfig>(library, "openblas_get_config");
  std::istringstream words(config == nullptr ? "OpenBLAS" : config());
  std::string name;
  std::string version;
  words >> name >> version;
  return version.empty() ? name : fmt::format("{} {}", name, version);
}

Sgemm openblas() {
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto sgemm = symbol<CblasSgemm>(library, "cblas_sgemm");
  if (sgemm == nullptr) return {};
  const auto multiply = [sgemm](const float* a, const float* b, float* c, const GemmShape& shape) {
    const auto m = static_cast<int>(shape.m);
    const auto k = static_cast<int>(shape.k);
    const auto n = static_cast<int>(shape.n);
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1, a, k, b, n, 0, c, n);
  };
  return {library_name(library), multiply};
}

}  // namespace

Sgemm find_sgemm() {
  Sgemm found = openblas();
  return found.multiply ? found : reference_sgemm();
}

Sgemm reference_sgemm() {
  const auto kernel = reference::best_gemm().multiply_float;
  const auto multiply = [kernel](const float* a, const float* b, float* c, const GemmShape& shape) {
    in_parallel(shape.m, [&](std::uint64_t first, std::uint64_t count) {
      float* const rows = c + first * shape.n;
      std::fill_n(rows, count * shape.n, 0.0F);
      kernel(a + first * shape.k, b, rows,
             {static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(shape.k),
              static_cast<std::ptrdiff_t>(shape.n)});
    });
  };
  return {"Weft's reference kernels (Eigen)", multiply};
}

}  // namespace weft::runtime
