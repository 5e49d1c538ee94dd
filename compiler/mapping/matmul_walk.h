// The order in which a plan's matmuls walk the folds, as plain index arithmetic: the tile, slice,
// region and slot of the i-th matmul, load, fetch or vector instruction of the program.
//
//   kChunkOutermost   for chunk { for n tile { for k tile } }    a fetch for every matmul
//   kChunkInnermost   for n tile { for chunk }                   a fetch for every n tile
//
// A region use is one (chunk, n tile): k_tiles matmuls, one vector and one store instruction.
#pragma once

#include <cstdint>

#include "compiler/mapping/tiling_plan.h"

namespace weft {

class MatmulWalk {
 public:
  explicit MatmulWalk(const TilingPlan& plan)
      : plan_(plan), inner_(plan.order == LoopOrder::kChunkInnermost) {}

  struct Slice {
    std::uint64_t chunk = 0;
    std::uint64_t k_tile = 0;
  };

  std::uint64_t k_tile(std::uint64_t matmul) const { return matmul % plan_.k_tiles; }
  std::uint64_t use(std::uint64_t matmul) const { return matmul / plan_.k_tiles; }
  std::uint64_t last_matmul(std::uint64_t use) const { return (use + 1) * plan_.k_tiles - 1; }
  std::uint64_t chunk(std::uint64_t use) const {
    return inner_ ? use % plan_.m_chunks : use / plan_.n_tiles;
  }
  std::uint64_t n_tile(std::uint64_t use) const {
    return inner_ ? use / plan_.m_chunks : use % plan_.n_tiles;
  }

  /// The fetch whose tile the matmul uses, and whether it is the first to do so.
  std::uint64_t fetch(std::uint64_t matmul) const {
    return inner_ ? matmul / plan_.m_chunks : matmul;
  }
  bool takes_tile(std::uint64_t matmul) const { return !inner_ || matmul % plan_.m_chunks == 0; }
  std::uint64_t fetches() const { return plan_.folds; }
  std::uint64_t tile(std::uint64_t fetch) const { return fetch % (plan_.k_tiles * plan_.n_tiles); }

  /// The load that brings the matmul's activations.
  std::uint64_t load(std::uint64_t matmul) const {
    if (!plan_.activations_resident) return matmul;
    if (inner_) return matmul % plan_.m_chunks;
    return chunk(use(matmul)) * plan_.k_tiles + k_tile(matmul);
  }
  std::uint64_t loads() const {
    return plan_.activations_resident ? plan_.m_chunks * plan_.k_tiles : plan_.matmuls();
  }
  Slice slice(std::uint64_t load) const {
    if (plan_.activations_resident) return {load / plan_.k_tiles, load % plan_.k_tiles};
    return {chunk(use(load)), k_tile(load)};
  }

  /// Bias loads: one in all if the bias stays, else one for each run of uses with the same n tile.
  bool bias_stays() const { return plan_.bias_slots == plan_.n_tiles; }
  std::uint64_t bias_loads() const {
    if (plan_.bias_slots == 0) return 0;
    if (bias_stays()) return 1;
    return inner_ ? plan_.n_tiles : plan_.region_uses();
  }
  std::uint64_t bias_load(std::uint64_t use) const {
    if (bias_stays()) return 0;
    return inner_ ? use / plan_.m_chunks : use;
  }
  std::uint64_t first_use_of_bias(std::uint64_t bias_load) const {
    return inner_ ? bias_load * plan_.m_chunks : bias_load;
  }

 private:
  const TilingPlan& plan_;
  bool inner_;
};

}  // namespace weft
