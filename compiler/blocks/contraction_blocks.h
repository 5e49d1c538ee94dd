// What one step of a convolution or matrix product reads and writes: planes of its operand, tiles
// of weights, blocks of sheets, and the staging for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/blocks/constant_rows.h"
#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"
#include "compiler/program/network_program.h"

namespace weft::compiler {

/// Columns [first, last) of a result.
struct Columns {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Accumulator rows for the sums of zero points in products of computed int8 matrices. Adjacent
/// tiles use different rows.
inline constexpr std::uint32_t kCorrectionRows = 2;

/// The zero point for which the sums of a product are corrected; nullopt if there is none.
std::optional<std::int32_t> corrected_zero_point(const ContractionLayer& layer);
/// Accumulator rows for the sums of the product itself. The rows after them take those of zero
/// points.
std::int64_t sum_rows(const ContractionLayer& layer, const MachineConfig& config);
/// UB rows of staging for the sums of zero points.
std::uint64_t correction_need(const ContractionLayer& layer, const MachineConfig& config);

class ContractionBlocks {
 public:
  /// `constants` are those of the layer. `layer` and `places` must outlive this.
  ContractionBlocks(const ContractionLayer& layer, const Places& places,
                    std::span<const PlacedConstant> constants);

  /// The planes of the operand that a product reads, and the lanes before its first channel in the
  /// first plane.
  std::int64_t first_plane(const BatchOffset& product) const;
  std::int64_t front(const BatchOffset& product) const;
  std::int64_t planes(const BatchOffset& product) const;
  Planes all_planes(const BatchOffset& product) const;
  std::int64_t most_planes() const;

  /// Tiles of the result's columns.
  std::int64_t n_tiles() const;
  /// Columns of `count` tiles, from tile `tile` on.
  Columns columns_of(std::int64_t tile, std::int64_t count) const;

  /// Tiles per plane and tap: more than one if each weight is split into several int8 numbers.
  std::int64_t pieces() const;
  /// Number of tiles whose products add up to one tile of the result.
  std::int64_t folds(const BatchOffset& product) const;
  /// False if the tile is empty, as most are with several groups. Empty tiles are never fetched.
  bool has_weights(const BatchOffset& product, std::int64_t plane, std::int64_t tile) const;
  /// True if any of the planes has weights.
  bool has_weights(const BatchOffset& product, const Planes& part, std::int64_t tile) const;

  /// Tile boundaries of the first product, with its rows cut into `chunks`.
  LayerTiles tiles(const Chunks& chunks) const;

  Block out_block(const BatchOffset& product, const Chunk& chunk, const Columns& columns) const;
  Block residual_block(const BatchOffset& product, const Chunk& chunk,
                       const Columns& columns) const;
  /// The block of computed weights.
  Block b_block(const BatchOffset& product, const Columns& columns) const;

  /// UB rows for the copy of the operand, at most `count` planes at a time.
  std::uint64_t input_need(const BatchOffset& product, const Chunk& chunk,
                           std::int64_t count) const;
  /// UB rows of staging for `columns` of a chunk, with at most `count` planes at a time.
  std::uint64_t staged(const BatchOffset& product, const Chunk& chunk, const Columns& columns,
                       std::int64_t count) const;

 private:
  const ContractionLayer& layer_;
  const Places& places_;
  const std::uint64_t constants_;  // UB rows of staging, with those for zero points
  const std::int64_t array_rows_;
  const std::int64_t cols_;
};

}  // namespace weft::compiler
