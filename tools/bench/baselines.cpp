#include "tools/bench/baselines.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#ifdef WEFT_BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef WEFT_BENCH_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

namespace weft::bench {
namespace {

template <class Operand, class Sum>
struct BenchProduct {
  explicit BenchProduct(std::size_t side) : a(side * side), b(side * side), c(side * side) {
    std::mt19937 random(2);
    for (Operand& value : a) value = static_cast<Operand>(static_cast<int>(random() % 255) - 127);
    for (Operand& value : b) value = static_cast<Operand>(static_cast<int>(random() % 255) - 127);
  }
  std::vector<Operand> a;
  std::vector<Operand> b;
  std::vector<Sum> c;
};

}  // namespace

#ifdef WEFT_BENCH_OPENBLAS
std::function<void()> sgemm(std::size_t side) {
  openblas_set_num_threads(1);
  const auto product = std::make_shared<BenchProduct<float, float>>(side);
  return [product, n = static_cast<int>(side)] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0F, product->a.data(), n,
                product->b.data(), n, 0.0F, product->c.data(), n);
  };
}
#else
std::function<void()> sgemm(std::size_t) {
  return {};
}
#endif

#ifdef WEFT_BENCH_ONEDNN
std::function<void()> int8_gemm(std::size_t side) {
  omp_set_num_threads(1);
  const auto product = std::make_shared<BenchProduct<std::int8_t, std::int32_t>>(side);
  return [product, n = static_cast<dnnl_dim_t>(side)] {
    const std::int32_t no_offset = 0;
    dnnl_gemm_s8s8s32('N', 'N', 'F', n, n, n, 1.0F, product->a.data(), n, 0, product->b.data(), n,
                      0, 0.0F, product->c.data(), n, &no_offset);
  };
}
#else
std::function<void()> int8_gemm(std::size_t) {
  return {};
}
#endif

}  // namespace weft::bench
