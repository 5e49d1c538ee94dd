#include <fmt/format.h>

#include <memory>

#include "sim/array/stepped_array.h"
#include "tools/bench/baselines.h"
#include "tools/bench/row.h"
#include "tools/bench/tile_product.h"

namespace weft::bench {
namespace {

template <class Arithmetic>
Row tile_row(const std::function<void()>& baseline, double target) {
  const auto product = std::make_shared<TiledProduct<Arithmetic>>();
  return {.name = fmt::format("tile products, {}, {}^3", to_string(Arithmetic::kType), kSize),
          .weft = [product] { product->run(); },
          .baseline = baseline,
          .target = target};
}

/// Streams M activation rows per weight tile through a double-buffered array. The next tile is
/// pushed during the first R cycles of each tile, and swapped in with its own first row. With M = R
/// every cycle pushes a row of weights; with a large M few cycles do.
template <class Arithmetic>
class SteppedStream {
 public:
  static constexpr std::uint32_t kSide = 128;

  explicit SteppedStream(std::uint32_t m)
      : m_(m), array_(kSide, kSide), acts_(kSide, 3), weights_(kSide, 5) {}

  double updates() const { return double{kSide} * kSide * m_; }

  void run() {
    for (std::uint32_t row = 0; row < m_; ++row) {
      array_.step({.act_row = acts_.data(),
                   .weight_row = row < kSide ? weights_.data() : nullptr,
                   .swap = row == 0});
    }
  }

 private:
  using Operand = typename Arithmetic::Operand;

  std::uint32_t m_;
  SteppedArray<Arithmetic> array_;
  std::vector<Operand> acts_;
  std::vector<Operand> weights_;
};

template <class Arithmetic>
Row stepped_row(std::uint32_t m, std::optional<double> target) {
  using Stream = SteppedStream<Arithmetic>;
  const auto stream = std::make_shared<Stream>(m);
  return {.name = fmt::format("stepped array, {}, {} x {}, M = {}", to_string(Arithmetic::kType),
                              Stream::kSide, Stream::kSide, m),
          .weft = [stream] { stream->run(); },
          .figure = Figure::kRate,
          .target = target,
          .work = stream->updates(),
          .work_unit = "PE/s"};
}

}  // namespace

std::vector<Row> kernel_rows() {
  return {tile_row<Bf16Arithmetic>(sgemm(kSize), 1.3),
          tile_row<Fp16Arithmetic>(sgemm(kSize), 1.3),
          tile_row<Int8Arithmetic>(int8_gemm(kSize), 1.7),
          stepped_row<Int8Arithmetic>(128, 8e9),
          stepped_row<Int8Arithmetic>(1024, 8e9),
          stepped_row<Bf16Arithmetic>(128, {}),
          stepped_row<Bf16Arithmetic>(1024, {})};
}

}  // namespace weft::bench
