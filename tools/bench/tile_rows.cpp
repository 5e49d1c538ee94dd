#include <fmt/format.h>

#include "tools/bench/paired.h"
#include "tools/bench/rows.h"
#include "tools/bench/tile_product.h"

#ifdef WEFT_BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef WEFT_BENCH_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

namespace weft::bench {
namespace {

constexpr int kRepeats = 15;
constexpr double kMacs = 1024.0 * 1024.0 * 1024.0;

Row speed_row(const std::string& name, double seconds) {
  return {name, fmt::format("{:.1f} GMAC/s", kMacs / seconds / 1e9), ""};
}

#ifdef WEFT_BENCH_OPENBLAS
template <class Arithmetic>
void add_float_rows(std::vector<Row>& rows, const std::string& type) {
  TiledProduct<Arithmetic> product;
  const std::vector<float> a(kSize * kSize, 0.5F);
  const std::vector<float> b(kSize * kSize, 0.25F);
  std::vector<float> c(kSize * kSize);
  openblas_set_num_threads(1);
  constexpr int kSide = static_cast<int>(kSize);
  const auto sgemm = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1.0F, a.data(),
                kSide, b.data(), kSide, 0.0F, c.data(), kSide);
  };
  const auto [ours, theirs] = paired_seconds([&] { product.run(); }, sgemm, kRepeats);
  rows.push_back(speed_row(type + " tile products 1024^3", ours));
  rows.push_back(speed_row("OpenBLAS sgemm 1024^3", theirs));
  rows.push_back({type + " time / sgemm time", fmt::format("{:.2f}", ours / theirs), "<= 1.30"});
}
#else
template <class Arithmetic>
void add_float_rows(std::vector<Row>& rows, const std::string& type) {
  TiledProduct<Arithmetic> product;
  const double ours = median_seconds([&] { product.run(); }, kRepeats);
  rows.push_back(speed_row(type + " tile products 1024^3", ours));
}
#endif

#ifdef WEFT_BENCH_ONEDNN
void add_int8_rows(std::vector<Row>& rows) {
  TiledProduct<Int8Arithmetic> product;
  std::mt19937 random(2);
  std::vector<std::int8_t> a(kSize * kSize);
  std::vector<std::int8_t> b(kSize * kSize);
  randomize(a, random);
  randomize(b, random);
  std::vector<std::int32_t> c(kSize * kSize);
  const std::int32_t no_offset = 0;
  omp_set_num_threads(1);
  constexpr auto kSide = static_cast<dnnl_dim_t>(kSize);
  const auto gemm = [&] {
    dnnl_gemm_s8s8s32('N', 'N', 'F', kSide, kSide, kSide, 1.0F, a.data(), kSide, 0, b.data(), kSide,
                      0, 0.0F, c.data(), kSide, &no_offset);
  };
  const auto [ours, theirs] = paired_seconds([&] { product.run(); }, gemm, kRepeats);
  rows.push_back(speed_row("int8 tile products 1024^3", ours));
  rows.push_back(speed_row("oneDNN gemm_s8s8s32 1024^3", theirs));
  rows.push_back({"int8 time / oneDNN time", fmt::format("{:.2f}", ours / theirs), "<= 1.70"});
}
#else
void add_int8_rows(std::vector<Row>& rows) {
  TiledProduct<Int8Arithmetic> product;
  const double ours = median_seconds([&] { product.run(); }, kRepeats);
  rows.push_back(speed_row("int8 tile products 1024^3", ours));
}
#endif

}  // namespace

std::vector<Row> tile_rows() {
  std::vector<Row> rows;
  add_float_rows<Bf16Arithmetic>(rows, "bf16");
  add_float_rows<Fp16Arithmetic>(rows, "fp16");
  add_int8_rows(rows);
  return rows;
}

}  // namespace weft::bench
