// Where a product's instructions repeat. The walk over the folds (matmul_walk.h) has three loops:
//
//   kChunkOutermost   for chunk { for n tile { for k tile } }
//   kChunkInnermost               for n tile { for chunk }
//
// Some passes of a loop later, the emitter does the same if its counters have moved together and
// all rings of buffers are at the same slot. Then the instructions differ only in tile numbers,
// host rows and `after` counts. Each loop has such a period, in matmuls. It holds as long as
// nothing of the loop's last pass, or of a shorter last chunk or tile, is in sight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/pacing.h"
#include "compiler/mapping/tiling_plan.h"

namespace weft {

/// How many instructions of each kind are in the program.
struct MatmulPosition {
  std::uint64_t matmuls = 0;
  std::uint64_t fetches = 0;
  std::uint64_t loads = 0;
  std::uint64_t biases = 0;
  std::uint64_t vectors = 0;
  std::uint64_t stores = 0;
};

class MatmulLoops {
 public:
  static constexpr std::size_t kLoops = 3;

  /// The arguments must outlive this.
  MatmulLoops(const TilingPlan& plan, const MatmulWalk& walk, const Pacing& pacing);

  /// True if a pass of the loop begins after this many matmuls. Only there can it repeat.
  bool begins_pass(std::size_t loop, std::uint64_t matmuls) const {
    return spacing_[loop] != 0 && matmuls % spacing_[loop] == 0;
  }
  /// How many more times the instructions between `earlier` and `now` repeat after `now`.
  std::uint64_t repetitions(std::size_t loop, const MatmulPosition& earlier,
                            const MatmulPosition& now) const;
  /// The first matmul after which the next load may come if the slices of a resident chunk are
  /// loaded during the chunk before. `load` belongs to the second chunk or a later one.
  std::uint64_t resident_load_due(std::uint64_t load) const;

 private:
  std::uint64_t along_k(const MatmulPosition& earlier, const MatmulPosition& now) const;
  std::uint64_t along_n(const MatmulPosition& earlier, const MatmulPosition& now) const;
  std::uint64_t along_chunks(const MatmulPosition& earlier, const MatmulPosition& now) const;
  std::uint64_t along_inner_chunks(const MatmulPosition& earlier, const MatmulPosition& now) const;
  std::uint64_t along_outer_n(const MatmulPosition& earlier, const MatmulPosition& now) const;
  bool rings_are_full(const MatmulPosition& position, std::uint64_t first_use) const;
  void set_period(std::size_t loop, std::uint64_t period);

  const TilingPlan& plan_;
  const MatmulWalk& walk_;
  const bool inner_;
  const bool ring_of_bias_;  // one bias slot after the other, not all of it
  const std::uint64_t matmuls_a_chunk_;
  const std::uint64_t in_sight_;  // matmuls ahead for which instructions are emitted
  const std::uint64_t fetches_ahead_;
  const std::uint64_t slot_lag_;
  const std::uint64_t vector_lag_;
  const std::uint64_t store_lag_;
  std::array<std::uint64_t, kLoops> period_{};   // in matmuls; 0: the loop does not repeat
  std::array<std::uint64_t, kLoops> spacing_{};  // a multiple of it: looking takes time, too
};

}  // namespace weft
