// The lane-by-lane steps of a layer with their second operands in the unified buffer: constants for
// as long as the layer runs, rows of sheets chunk by chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/network/vector_rows.h"

namespace weft::network {

class LaneSteps {
 public:
  /// Loads the constants of `steps`, which must outlive this.
  LaneSteps(const std::vector<LaneStep>& steps, std::int64_t channels, LoweringContext& context);

  std::size_t size() const { return steps_.size(); }
  /// Rows of staging that a chunk's second operands take.
  std::uint64_t staged(const Chunk& chunk) const;
  /// Loads those that are not resident; apply() is for this chunk from here on.
  void read(const Chunk& chunk);
  /// Makes `vector` compute step `index` of a tile.
  void apply(std::size_t index, const LaneTile& tile, Vector& vector) const;

 private:
  std::int64_t first_row(const LaneStep& step, const Chunk& chunk) const;
  Block block(const LaneStep& step, const Chunk& chunk) const;
  VectorOperand constant_rows(std::size_t index, const LaneTile& tile) const;
  VectorOperand view_rows(std::size_t index, const LaneTile& tile) const;

  const std::vector<LaneStep>& steps_;
  std::int64_t channels_;
  LoweringContext& context_;
  std::vector<std::uint32_t> constants_;  // by step; unused where it has none
  std::vector<Placement> placements_;     // of the chunk, by step
  Chunk chunk_ = {};
};

/// UB rows that `rows` wide rows of `channels` channels take as a constant.
std::uint64_t constant_need(std::int64_t rows, std::int64_t channels, const MachineConfig& config);

/// One word for each channel; base of a wide row for each C of them.
std::uint32_t load_channels(const MakeTensor& make, std::int64_t channels,
                            LoweringContext& context);

}  // namespace weft::network
