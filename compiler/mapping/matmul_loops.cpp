#include "compiler/mapping/matmul_loops.h"

#include <algorithm>
#include <numeric>

namespace weft {
namespace {

// Matmuls between two looks. One look takes about as long as replaying some twenty.
constexpr std::uint64_t kLeastSpacing = 256;

constexpr std::size_t kAlongK = 0;
constexpr std::size_t kAlongN = 1;
constexpr std::size_t kAlongChunks = 2;

/// The least common multiple, or 0 if it is 2^32 or more; such a period is never reached twice.
std::uint64_t common(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 32U;
  if (a == 0 || b == 0) return 0;
  const std::uint64_t part = a / std::gcd(a, b);
  return part < kLimit && b < kLimit && part * b < kLimit ? part * b : 0;
}

/// After how many steps of `step` a ring of `slots` is at the same slot again.
std::uint64_t turns(std::uint64_t slots, std::uint64_t step) {
  return slots == 0 ? 1 : slots / std::gcd(slots, step);
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

/// How many whole periods lie between two matmuls.
std::uint64_t passes(std::uint64_t from, std::uint64_t until, std::uint64_t period) {
  return less(until, from) / period;
}

}  // namespace

MatmulLoops::MatmulLoops(const TilingPlan& plan, const MatmulWalk& walk, const Pacing& pacing)
    : plan_(plan),
      walk_(walk),
      inner_(plan.order == LoopOrder::kChunkInnermost),
      ring_of_bias_(plan.bias_slots > 0 && !walk.bias_stays()),
      matmuls_a_chunk_(plan.k_tiles * plan.n_tiles),
      in_sight_(std::max(pacing.fetch_ahead, pacing.load_ahead) + 2),
      fetches_ahead_(pacing.fetch_ahead + 1),
      slot_lag_(pacing.slot_lag),
      vector_lag_(pacing.vector_lag),
      store_lag_(pacing.store_lag) {
  // A plan with buffered tiles was replayed to the end before it was chosen, so it is short. One
  // that a user wrote may be long, which takes time only.
  if (plan.tile_slots > 0) return;
  const std::uint64_t slots = plan.activations_resident ? 0 : plan.activation_slots;
  const std::uint64_t bias = ring_of_bias_ ? plan.bias_slots : 0;
  const bool bias_moves = plan.bias_slots > 0 && walk.bias_stays();  // to another row for each tile
  const std::uint64_t uses = common(plan.accumulator_regions, plan.output_slots);
  if (inner_) {
    if (!plan.activations_resident) set_period(kAlongK, common(uses, slots));
    const std::uint64_t use_rings = common(turns(plan.accumulator_regions, plan.m_chunks),
                                           turns(plan.output_slots, plan.m_chunks));
    const std::uint64_t tiles =
        common(common(use_rings, std::max<std::uint64_t>(1, bias)), turns(slots, plan.m_chunks));
    if (!bias_moves) set_period(kAlongN, tiles * plan.m_chunks);
    return;
  }
  if (!plan.activations_resident) set_period(kAlongK, slots);
  const std::uint64_t in_chunk =
      common(common(uses, std::max<std::uint64_t>(1, bias)), turns(slots, plan.k_tiles));
  if (!bias_moves) set_period(kAlongN, in_chunk * plan.k_tiles);
  const std::uint64_t loads_a_chunk = plan.activations_resident ? plan.k_tiles : matmuls_a_chunk_;
  const std::uint64_t chunks = common(common(common(turns(plan.accumulator_regions, plan.n_tiles),
                                                    turns(plan.output_slots, plan.n_tiles)),
                                             turns(bias, plan.n_tiles)),
                                      turns(plan.activation_slots, loads_a_chunk));
  set_period(kAlongChunks, chunks * matmuls_a_chunk_);
}

void MatmulLoops::set_period(std::size_t loop, std::uint64_t period) {
  // The state is compared at three passes or more before anything is skipped.
  if (period == 0 || period > plan_.matmuls() / 3) return;
  period_[loop] = period;
  spacing_[loop] = (kLeastSpacing + period - 1) / period * period;
}

std::uint64_t MatmulLoops::resident_load_due(std::uint64_t load) const {
  const std::uint64_t chunk = load / plan_.k_tiles;
  const std::uint64_t k_tile = load % plan_.k_tiles;
  if (plan_.activation_slots == plan_.k_tiles) {
    return chunk * matmuls_a_chunk_ - plan_.k_tiles + k_tile + slot_lag_;
  }
  return (chunk - 1) * matmuls_a_chunk_ + plan_.k_tiles + k_tile * (plan_.n_tiles - 1);
}

std::uint64_t MatmulLoops::repetitions(std::size_t loop, const MatmulPosition& earlier,
                                       const MatmulPosition& now) const {
  if (period_[loop] == 0 || now.matmuls <= earlier.matmuls) return 0;
  if ((now.matmuls - earlier.matmuls) % period_[loop] != 0) return 0;
  if (inner_) {
    return loop == kAlongK ? along_inner_chunks(earlier, now) : along_outer_n(earlier, now);
  }
  if (loop == kAlongK) return along_k(earlier, now);
  return loop == kAlongN ? along_n(earlier, now) : along_chunks(earlier, now);
}

/// Whether every ring has been filled once, so that a slot is freed before it is used again, and
/// all region uses that are under way are not before `first_use`.
bool MatmulLoops::rings_are_full(const MatmulPosition& position, std::uint64_t first_use) const {
  return walk_.use(position.matmuls) >= plan_.accumulator_regions &&
         position.vectors >= plan_.output_slots &&
         (!ring_of_bias_ || position.biases >= plan_.bias_slots) && position.stores >= first_use;
}

// Within one use of an accumulator region. Its vector instruction and store come after the last k
// tile, those of earlier uses at fixed matmuls.
std::uint64_t MatmulLoops::along_k(const MatmulPosition& earlier, const MatmulPosition& now) const {
  const std::uint64_t moved = now.matmuls - earlier.matmuls;
  const std::uint64_t use = walk_.use(now.matmuls);
  const bool together = walk_.use(earlier.matmuls) == use && walk_.k_tile(earlier.matmuls) > 0 &&
                        now.fetches - earlier.fetches == moved &&
                        now.loads - earlier.loads == moved && now.biases == earlier.biases &&
                        now.vectors == earlier.vectors && now.stores == earlier.stores;
  if (!together) return 0;
  std::uint64_t until = less((use + 1) * plan_.k_tiles, in_sight_);
  if (now.vectors <= use) until = std::min(until, walk_.last_matmul(now.vectors) + vector_lag_);
  if (now.stores < now.vectors) {
    until = std::min(until, walk_.last_matmul(now.stores) + store_lag_);
  }
  return passes(now.matmuls, until, moved);
}

// Within one chunk. The last n tile is left out, because it may be narrower.
std::uint64_t MatmulLoops::along_n(const MatmulPosition& earlier, const MatmulPosition& now) const {
  const std::uint64_t moved = now.matmuls - earlier.matmuls;
  const std::uint64_t uses = moved / plan_.k_tiles;
  const std::uint64_t chunk = walk_.chunk(walk_.use(now.matmuls));
  const bool together =
      walk_.chunk(walk_.use(earlier.matmuls)) == chunk && now.fetches - earlier.fetches == moved &&
      now.loads - earlier.loads == (plan_.activations_resident ? 0 : moved) &&
      now.biases - earlier.biases == (ring_of_bias_ ? uses : 0) &&
      now.vectors - earlier.vectors == uses && now.stores - earlier.stores == uses;
  if (!together || !rings_are_full(earlier, chunk * plan_.n_tiles)) return 0;
  std::uint64_t until = less((chunk + 1) * matmuls_a_chunk_, plan_.k_tiles + in_sight_);
  if (plan_.activations_resident && now.loads < walk_.loads()) {
    if (now.loads < plan_.k_tiles) return 0;
    until = std::min(until, resident_load_due(now.loads));
  }
  return passes(now.matmuls, until, moved);
}

// From chunk to chunk. The last two are left out: slices are loaded a chunk ahead, and the last
// chunk may be shorter.
std::uint64_t MatmulLoops::along_chunks(const MatmulPosition& earlier,
                                        const MatmulPosition& now) const {
  const std::uint64_t moved = now.matmuls - earlier.matmuls;
  const std::uint64_t chunks = moved / matmuls_a_chunk_;
  const std::uint64_t uses = chunks * plan_.n_tiles;
  const std::uint64_t loads = plan_.activations_resident ? chunks * plan_.k_tiles : moved;
  const bool together =
      now.fetches - earlier.fetches == moved && now.loads - earlier.loads == loads &&
      now.biases - earlier.biases == (ring_of_bias_ ? uses : 0) &&
      now.vectors - earlier.vectors == uses && now.stores - earlier.stores == uses;
  if (!together || earlier.matmuls < 2 * matmuls_a_chunk_ || !rings_are_full(earlier, 0)) return 0;
  const std::uint64_t until = less(less(plan_.m_chunks, 2) * matmuls_a_chunk_, in_sight_);
  return passes(now.matmuls, until, moved);
}

// The chunks that share one tile, without the last one, which may be shorter.
std::uint64_t MatmulLoops::along_inner_chunks(const MatmulPosition& earlier,
                                              const MatmulPosition& now) const {
  const std::uint64_t moved = now.matmuls - earlier.matmuls;
  const std::uint64_t tile = now.matmuls / plan_.m_chunks;
  const bool together = earlier.matmuls / plan_.m_chunks == tile &&
                        earlier.matmuls % plan_.m_chunks > 0 && now.fetches == earlier.fetches &&
                        now.loads - earlier.loads == moved && now.biases == earlier.biases &&
                        now.vectors - earlier.vectors == moved &&
                        now.stores - earlier.stores == moved;
  if (!together || !rings_are_full(earlier, tile * plan_.m_chunks)) return 0;
  return passes(now.matmuls, less((tile + 1) * plan_.m_chunks, in_sight_), moved);
}

// From tile to tile, each with all chunks. Tiles are fetched ahead, so the last ones are left out.
std::uint64_t MatmulLoops::along_outer_n(const MatmulPosition& earlier,
                                         const MatmulPosition& now) const {
  const std::uint64_t moved = now.matmuls - earlier.matmuls;
  const std::uint64_t tiles = moved / plan_.m_chunks;
  const bool together = now.fetches - earlier.fetches == tiles &&
                        now.loads - earlier.loads == (plan_.activations_resident ? 0 : moved) &&
                        now.biases - earlier.biases == (ring_of_bias_ ? tiles : 0) &&
                        now.vectors - earlier.vectors == moved &&
                        now.stores - earlier.stores == moved;
  const bool loaded = !plan_.activations_resident || now.loads == walk_.loads();
  if (!together || !loaded || earlier.matmuls < plan_.m_chunks || !rings_are_full(earlier, 0)) {
    return 0;
  }
  const std::uint64_t until =
      less(less(plan_.n_tiles, 1 + fetches_ahead_) * plan_.m_chunks, in_sight_);
  return passes(now.matmuls, until, moved);
}

}  // namespace weft
