#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "sim/array/stepped_array.h"
#include "tools/bench/paired.h"
#include "tools/bench/rows.h"

namespace weft::bench {
namespace {

constexpr std::uint32_t kSide = 128;
constexpr int kRepeats = 15;
constexpr int kTilesPerRepeat = 8;

/// Streams tiles of M rows through a double-buffered 128 x 128 array: a new tile is pushed during
/// the first R cycles of each, and swapped in with its first row. M = R keeps the pushes going all
/// the time, a large M hardly has any.
template <class Arithmetic>
double updates_per_second(std::uint32_t m) {
  using Operand = typename Arithmetic::Operand;
  SteppedArray<Arithmetic> array(kSide, kSide);
  const std::vector<Operand> acts(kSide, Operand{3});
  const std::vector<Operand> weights(kSide, Operand{5});
  const auto stream = [&] {
    for (int tile = 0; tile < kTilesPerRepeat; ++tile) {
      for (std::uint32_t row = 0; row < m; ++row) {
        array.step({.act_row = acts.data(),
                    .weight_row = row < kSide ? weights.data() : nullptr,
                    .swap = row == 0});
      }
    }
  };
  return kTilesPerRepeat * double{kSide} * kSide * m / median_seconds(stream, kRepeats);
}

template <class Arithmetic>
Row row(std::uint32_t m, const char* target) {
  return {fmt::format("stepped 128x128 {}, M = {}", to_string(Arithmetic::kType), m),
          fmt::format("{:.1f} G PE/s", updates_per_second<Arithmetic>(m) / 1e9), target};
}

}  // namespace

std::vector<Row> stepped_rows() {
  return {row<Int8Arithmetic>(128, ">= 8.0"), row<Int8Arithmetic>(1024, ">= 8.0"),
          row<Bf16Arithmetic>(128, ""), row<Bf16Arithmetic>(1024, "")};
}

}  // namespace weft::bench
