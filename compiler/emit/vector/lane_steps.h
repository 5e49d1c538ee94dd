// The lane-by-lane steps of a layer, with their second operands in the unified buffer. Constants
// stay while the layer runs or are loaded tile by tile; rows of sheets are loaded chunk by chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/emit/vector/vector_rows.h"

namespace weft::compiler {

class LaneSteps {
 public:
  /// Adds the constants of `steps`, which must outlive this.
  LaneSteps(const std::vector<LaneStep>& steps, std::int64_t channels, LoweringContext& context);

  std::size_t size() const { return steps_.size(); }
  /// Loads the rows of sheets that are not in the unified buffer; apply() then uses these rows.
  /// Must be called for each use of staging (StagingRing::begin_use()).
  void read(const Chunk& chunk, const ChannelRange& range);
  /// Makes `vector` compute step `index` of a tile; loads the tile's constant if it is not there.
  void apply(std::size_t index, const LaneTile& tile, Vector& vector);

 private:
  std::uint32_t block_of(const LaneTile& tile) const;
  VectorOperand constant_rows(std::size_t index, const LaneTile& tile);
  VectorOperand view_rows(std::size_t index, const LaneTile& tile) const;
  std::uint32_t repeat_lane(std::size_t index);

  const std::vector<LaneStep>& steps_;
  LoweringContext& context_;
  std::vector<std::optional<LayerConstant>> biases_;     // by step
  std::vector<std::optional<LayerConstant>> constants_;  // by step
  std::vector<Placement> placements_;                    // of the chunk, by step
  std::vector<std::uint32_t> repeated_;                  // wide rows of one channel, by step
  Chunk chunk_ = {};
};

/// The layer's next constant, float32 with one word per channel: a wide row for every C channels.
LayerConstant load_floats(const MakeTensor& make, std::int64_t channels, LoweringContext& context);

}  // namespace weft::compiler
