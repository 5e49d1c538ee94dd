// Corrects products of two computed int8 matrices if the first has a zero point z. One more row of
// padding, z in all elements, streams through each tile of the second matrix. Its negated sums are
// the bias of the drain.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/blocks/contraction_blocks.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

class ZeroPointSums {
 public:
  ZeroPointSums(const ContractionLayer& layer, LoweringContext& context);

  /// False if there is nothing to correct. Then nothing else may be called.
  bool any() const { return zero_point_.has_value(); }
  /// Must be called for each use of staging (StagingRing::begin_use()). Takes correction_need()
  /// rows.
  void begin_use();

  /// Streams the row of z through the weights of column tile `tile`, which are in the array.
  void add(std::int64_t tile, bool accumulate);
  /// Negates the sums and returns their UB row, the row of a bias.
  std::uint32_t negate(std::int64_t tile);

 private:
  std::uint32_t accumulator_row(std::int64_t tile) const;

  LoweringContext& context_;
  const std::optional<std::int32_t> zero_point_;
  const std::int64_t first_row_;  // of the accumulators
  const std::uint64_t need_;      // UB rows
  std::uint32_t base_ = 0;
};

}  // namespace weft::compiler
