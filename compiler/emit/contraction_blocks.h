// What one step of a convolution or matrix product reads and writes: planes of its operand, tiles
// of weights, blocks of sheets, and the staging for them.
#pragma once

#include <cstdint>

#include "compiler/emit/chunk_input.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"

namespace weft::network {

/// Columns [first, last) of a result.
struct Columns {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

class ContractionBlocks {
 public:
  /// `constants`: UB rows of staging for the layer's constants. `layer` and `context` must outlive
  /// this.
  ContractionBlocks(const ContractionLayer& layer, const LoweringContext& context,
                    std::uint64_t constants);

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
  LayerTiles tiles(const std::vector<Chunk>& chunks) const;

  ChunkInput input(const BatchOffset& product) const;
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
  SheetMemory& memory_;
  const std::uint64_t constants_;
  const std::int64_t array_rows_;
  const std::int64_t cols_;
};

}  // namespace weft::network
