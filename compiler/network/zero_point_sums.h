// Products of two computed int8 matrices, of which the first has a zero point z: one more row of
// padding, z in all elements, streams through each tile of the second. Its sums, negated, are the
// bias of the drain.
#pragma once

#include <cstdint>

#include "compiler/network/layers.h"
#include "compiler/network/lower_layer.h"

namespace weft::network {

class ZeroPointSums {
 public:
  ZeroPointSums(const ContractionLayer& layer, LoweringContext& context);

  /// False if there is nothing to correct, and nothing below is to be called but sum_rows() and
  /// staging_need().
  bool any() const { return zero_point_ != 0; }
  /// Accumulator rows for the sums of the product; those behind them take the sums of z.
  std::int64_t sum_rows() const;
  /// UB rows of staging that begin_use() takes.
  std::uint64_t staging_need() const;
  /// To be called for each use of staging (BufferRows::begin_use()).
  void begin_use();

  /// Streams the row through the tile of column tile `tile` that is in the array.
  void add(std::int64_t tile, bool accumulate);
  /// Negates the sums: the UB row of a bias.
  std::uint32_t negate(std::int64_t tile);

 private:
  std::uint32_t accumulator_row(std::int64_t tile) const;

  LoweringContext& context_;
  const std::int32_t zero_point_;
  std::uint32_t base_ = 0;
};

}  // namespace weft::network
