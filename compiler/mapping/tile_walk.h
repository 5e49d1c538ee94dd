// Which tiles of a product in rings come through the unified buffer (Mapping::buffered_tiles), and
// where their rows lie, as plain index arithmetic.
//
// A use is a fetch of such a tile. If all these tiles have slots, each is loaded once and stays, so
// that load i brings the i-th of them; otherwise every use has its own load, in a ring.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/mapping/tiling_plan.h"

namespace weft {

class TileWalk {
 public:
  explicit TileWalk(const TilingPlan& plan)
      : plan_(plan),
        array_rows_(plan.padded_k / plan.k_tiles),
        array_cols_(plan.padded_n / plan.n_tiles),
        tiles_(plan.k_tiles * plan.n_tiles),
        share_(plan.tile_slots == 0 ? 0 : plan.buffered_tiles),
        buffered_(before(tiles_)),
        stays_(buffered_ <= plan.tile_slots) {}

  /// How many of the product's tiles come through the buffer. They are spread evenly over all.
  std::uint64_t tiles() const { return buffered_; }
  bool is_buffered(std::uint64_t tile) const { return before(tile + 1) > before(tile); }

  /// Uses in fetches before `fetch`, which may be the number of all fetches.
  std::uint64_t uses_before(std::uint64_t fetch) const {
    return fetch / tiles_ * buffered_ + before(fetch % tiles_);
  }
  /// The fetch of a use. There must be buffered tiles.
  std::uint64_t fetch_of(std::uint64_t use) const {
    return use / buffered_ * tiles_ + tile_number(use % buffered_);
  }

  std::uint64_t loads() const { return stays_ ? buffered_ : uses_before(plan_.folds); }
  /// The load that brings the tile of a use, and the tile that a load brings.
  std::uint64_t load(std::uint64_t use) const { return stays_ ? use % buffered_ : use; }
  std::uint64_t tile(std::uint64_t load) const { return tile_number(load % buffered_); }
  /// Whether a load must wait for an earlier use of its slot, and for which.
  bool takes_used_slot(std::uint64_t load) const { return load >= plan_.tile_slots; }
  std::uint64_t use_before(std::uint64_t load) const { return load - plan_.tile_slots; }

  /// A tile's rows and lanes, as they lie in planes of R lanes of the weights [K, N].
  struct Block {
    std::uint64_t k = 0;  // the first row
    std::uint32_t rows = 0;
    std::uint32_t lanes = 0;
    std::uint32_t first_lane = 0;  // within its first plane
    std::uint64_t first_plane = 0;
    std::uint32_t planes = 0;
  };
  Block block(std::uint64_t tile) const {
    const std::uint64_t n = tile / plan_.k_tiles * array_cols_;
    Block block;
    block.k = tile % plan_.k_tiles * array_rows_;
    block.rows = static_cast<std::uint32_t>(std::min(array_rows_, plan_.spec.k - block.k));
    block.lanes = static_cast<std::uint32_t>(std::min(array_cols_, plan_.spec.n - n));
    block.first_lane = static_cast<std::uint32_t>(n % array_rows_);
    block.first_plane = n / array_rows_;
    block.planes =
        static_cast<std::uint32_t>((n + block.lanes - 1) / array_rows_ - block.first_plane + 1);
    return block;
  }

  /// The most planes in which a tile's lanes may lie; each takes a load.
  std::uint64_t most_planes() const { return (array_rows_ + array_cols_ - 2) / array_rows_ + 1; }

  /// Instructions that load tiles.
  std::uint64_t load_instructions() const {
    std::uint64_t count = 0;
    for (std::uint64_t load = 0; load < loads(); ++load) count += block(tile(load)).planes;
    return count;
  }
  /// Rows of the unified buffer that all loads of tiles write.
  std::uint64_t loaded_rows() const {
    std::uint64_t rows = 0;
    for (std::uint64_t load = 0; load < loads(); ++load) {
      const Block loaded = block(tile(load));
      rows += std::uint64_t{loaded.rows} * loaded.planes;
    }
    return rows;
  }

 private:
  /// Buffered tiles before a tile: floor(tile * share / kTileShares), without overflow.
  std::uint64_t before(std::uint64_t tile) const {
    return tile / kTileShares * share_ + tile % kTileShares * share_ / kTileShares;
  }
  /// The buffered tile with this number.
  std::uint64_t tile_number(std::uint64_t number) const {
    const std::uint64_t next = number + 1;
    return next / share_ * kTileShares + (next % share_ * kTileShares + share_ - 1) / share_ - 1;
  }

  const TilingPlan& plan_;
  std::uint64_t array_rows_;
  std::uint64_t array_cols_;
  std::uint64_t tiles_;
  std::uint64_t share_;
  std::uint64_t buffered_;
  bool stays_;
};

}  // namespace weft
