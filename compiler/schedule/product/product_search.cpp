#include "compiler/schedule/product/product_search.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/checked_math.h"
#include "compiler/mapping/estimate.h"
#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/pacing.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/schedule/product/map_product.h"

namespace weft {
namespace {

// The most instructions that are replayed to find transfers, to confirm them, and for other chunks
// and pacing: 0.1 s, 0.3 s and 0.1 s.
constexpr std::uint64_t kMostTried = 300'000;
constexpr std::uint64_t kMostConfirmed = 1'000'000;
constexpr std::uint64_t kMostOfOthers = 300'000;
// Plans are as good as each other if their cycles differ by at most this part: the one with the
// fewest instructions is chosen.
constexpr Cycle kAsGood = 500;
// The search tries other transfers for this many plans, those with the fewest cycles.
constexpr std::size_t kMostBases = 8;
// Of a product with more matmuls than this, the search replays a part with about this many.
constexpr std::uint64_t kPartOfProduct = 600;

/// Slots for tiles in half of the unified buffer.
std::uint64_t most_slots(const MachineConfig& config) {
  return compiler::usable_rows(config) / 2 / compiler::tile_slot_rows(config);
}

/// Slots and shares worth trying for the tiles of a plan that come through the unified buffer.
class TileChoices {
 public:
  TileChoices(const TilingPlan& plan, const MachineConfig& config)
      : plan_(plan), config_(config), tiles_(plan.k_tiles * plan.n_tiles) {}

  /// Up to half of the buffer, or a slot for each tile; then a quarter, a sixteenth and so on.
  std::vector<std::uint32_t> slots() const {
    const std::uint64_t most = std::min(tiles_, most_slots(config_));
    std::vector<std::uint32_t> slots;
    for (std::uint64_t count = most; count > 0; count /= 4) {
      slots.push_back(static_cast<std::uint32_t>(count));
    }
    return slots;
  }

  /// All tiles; of those that are fetched for every chunk, as many as can stay; and on split
  /// memories what both channels bring in the same time, or somewhat less.
  std::vector<std::uint32_t> shares(std::uint32_t slots) const {
    std::vector<std::uint32_t> shares = {kTileShares};
    if (plan_.folds > tiles_ && slots < tiles_) {
      shares.push_back(static_cast<std::uint32_t>(std::uint64_t{slots} * kTileShares / tiles_));
    }
    if (config_.memory_kind == MemoryKind::kSplit) {
      for (const double part : {1.0, 0.9, 0.75}) {
        shares.push_back(static_cast<std::uint32_t>(kTileShares * balanced_part() * part));
      }
    }
    std::ranges::sort(shares, std::greater<>());
    shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
    std::erase(shares, 0U);
    return shares;
  }

 private:
  /// The part of the tiles with which the host link is at work as long as the weight memory:
  ///   host bytes + part * weight rows = link * time,  (1 - part) * tiles = memory * time
  double balanced_part() const {
    const auto cycles = [&](double bytes, std::uint64_t bytes_per_s) {
      return bytes * static_cast<double>(config_.clock_hz) / static_cast<double>(bytes_per_s);
    };
    const auto row = static_cast<double>(config_.row_bytes());
    const double results =
        static_cast<double>(plan_.spec.m * plan_.n_tiles) * config_.result_row_rows();
    const double host =
        cycles(row * (static_cast<double>(plan_.chunk_rows * MatmulWalk(plan_).loads()) + results),
               config_.host_bytes_per_s);
    const auto folds = static_cast<double>(plan_.folds);
    const double memory =
        cycles(folds * static_cast<double>(config_.tile_bytes()), config_.memory_bytes_per_s);
    const double rows =
        cycles(row * folds * static_cast<double>(compiler::tile_slot_rows(config_)) *
                   static_cast<double>(plan_.spec.k) / static_cast<double>(plan_.padded_k),
               config_.host_bytes_per_s);
    return std::clamp((memory - host) / (memory + rows), 0.0, 1.0);
  }

  const TilingPlan& plan_;
  const MachineConfig& config_;
  const std::uint64_t tiles_;
};

/// False if the loads bring more than half as much again as the tiles have: rows are wider than a
/// tile, and each tile loads them for itself.
bool brings_little_else(const TilingPlan& plan, const MachineConfig& config) {
  const TileWalk tiles(plan);
  const std::uint64_t bytes = tiles.loaded_rows() * config.row_bytes();
  return bytes <= tiles.uses_before(plan.folds) * config.tile_bytes() / 2 * 3;
}

/// The plan of a product with fewer rows and columns: at most three chunks, and whole column tiles.
/// If several chunks use a tile, all tiles are kept, since it matters whether each can stay.
TilingPlan part_of(const TilingPlan& plan, const MachineConfig& config) {
  MatmulSpec spec = plan.spec;
  constexpr std::uint64_t kChunks = 3;
  const std::uint64_t chunks = std::min(plan.m_chunks, kChunks);
  if (plan.matmuls() <= kPartOfProduct) return plan;
  if (chunks < plan.m_chunks) spec.m = chunks * plan.chunk_rows;
  if (plan.folds == plan.k_tiles * plan.n_tiles) {
    const std::uint64_t tiles = std::max<std::uint64_t>(1, kPartOfProduct / chunks / plan.k_tiles);
    spec.n = std::min(spec.n, tiles * config.array_cols);
  }
  TilingPlan part = plan_of(plan, spec, config);
  if (last_result_rows(spec, config) == config.result_row_rows()) part.stores_by_row = false;
  return part;
}

/// Decides between a simple plan and others that take fewer cycles. Another must save a fiftieth of
/// them, a twentieth if all it does is to fetch tiles more often for smaller chunks, and a cycle
/// for each instruction that it adds.
class Choice {
 public:
  explicit Choice(const CostedPlan& simple)
      : simple_(simple), instructions_(instruction_count(simple.plan)) {}

  bool is_worth_it(const CostedPlan& other) const {
    if (other.cycles >= simple_.cycles) return false;
    const Cycle saved = simple_.cycles - other.cycles;
    const bool fetches_more = other.plan.folds > simple_.plan.folds && other.plan.tile_slots == 0 &&
                              !other.plan.stores_by_row;
    const Cycle part = fetches_more ? 20 : 50;
    const std::uint64_t instructions = instruction_count(other.plan);
    return saved > simple_.cycles / part &&
           instructions < instructions_ + static_cast<std::uint64_t>(saved);
  }

 private:
  const CostedPlan& simple_;
  const std::uint64_t instructions_;
};

class ProductSearch {
 public:
  ProductSearch(const CostedPlan& simple, const MachineConfig& config)
      : config_(config), choice_(simple), best_(simple) {}

  void consider(const CostedPlan& plan) {
    if (!choice_.is_worth_it(plan)) return;
    found_.push_back(plan);
    if (plan.cycles < best_.cycles) best_ = plan;
  }

  /// Other transfers for this plan.
  void from(const CostedPlan& base) {
    if (tries_ == 0 || confirmations_ == 0) return;
    const CostedPlan stored = with_best_stores(base, is_first_ ? confirmations_ : tries_);
    is_first_ = false;
    if (config_.memory_kind != MemoryKind::kIdeal && could_win(stored.plan)) {
      with_best_tiles(stored.plan);
    }
  }

  /// Chunks of other sizes. With more of them the first load and the last results are shorter, and
  /// the tiles cost no more transfers if they all stay in the unified buffer.
  void try_other_chunks() {
    const MatmulSpec spec = best_.plan.spec;
    for (const MachineConfig& paced_for : paces()) {
      for (std::uint64_t chunks = 1; chunks <= spec.m; chunks += 1 + chunks / 3) {
        const std::uint64_t rows = ceil_div(spec.m, chunks);
        if (rows > largest_chunk(spec, config_)) continue;
        if (others_ > 0) try_chunks(static_cast<std::uint32_t>(rows), paced_for);
      }
    }
  }

  /// The best plan so far with the pacing of machines with fewer tiles in the FIFO and shorter
  /// queues.
  void try_other_pacing() {
    const TilingPlan base = best_.plan;
    for (std::uint32_t tiles = config_.weight_fifo_tiles; tiles > 0; tiles = lower(tiles)) {
      for (std::uint32_t depth = config_.queue_depth; depth > 0; depth = lower(depth)) {
        try_other(base, with_less(tiles, depth));
      }
    }
  }

  /// Of the plans that are as good as the best, the one with the fewest instructions.
  TilingPlan chosen() && {
    std::erase_if(found_, [&](const CostedPlan& each) { return each.cycles > most(); });
    if (found_.empty()) return std::move(best_.plan);
    return std::ranges::min(found_, {},
                            [](const CostedPlan& each) {
                              return std::pair(instruction_count(each.plan), each.cycles);
                            })
        .plan;
  }

 private:
  /// A plan takes no less than the formula of its folds says.
  bool could_win(const TilingPlan& plan) const {
    return plan.formula_cycles() < static_cast<std::uint64_t>(most());
  }

  /// As many cycles as a plan may take that is as good as the best.
  Cycle most() const { return best_.cycles + best_.cycles / kAsGood; }

  void try_other(TilingPlan plan, const MachineConfig& paced_for) {
    plan.pacing = pace(plan, paced_for);
    const auto cycles = cycles_of(plan, config_, others_, most());
    if (cycles) consider({std::move(plan), *cycles});
  }

  /// The next lower power of two; 0 after 1.
  static std::uint32_t lower(std::uint32_t value) {
    return value > 1 ? std::bit_floor(value - 1) : 0;
  }

  MachineConfig with_less(std::uint32_t weight_fifo_tiles, std::uint32_t queue_depth) const {
    MachineConfig less = config_;
    less.weight_fifo_tiles = weight_fifo_tiles;
    less.queue_depth = queue_depth;
    return less;
  }

  /// Machines whose pacing is tried with all chunks: this one, that of the best plan so far, and
  /// those with the least of either.
  std::vector<MachineConfig> paces() const {
    const Pacing& best = best_.plan.pacing;
    std::vector<MachineConfig> paces = {config_};
    for (const MachineConfig& less :
         {with_less(best.weight_fifo_tiles, best.queue_depth), with_less(1, config_.queue_depth),
          with_less(config_.weight_fifo_tiles, 1)}) {
      if (std::ranges::find(paces, less) == paces.end()) paces.push_back(less);
    }
    return paces;
  }

  /// In each order of the loops, what the closed estimate prefers.
  void try_chunks(std::uint32_t rows, const MachineConfig& paced_for) {
    const std::vector<TilingPlan> plans = plans_with_chunks(best_.plan.spec, config_, rows);
    for (const LoopOrder order : {LoopOrder::kChunkOutermost, LoopOrder::kChunkInnermost}) {
      const TilingPlan* base = nullptr;
      double least = 0;
      for (const TilingPlan& plan : plans) {
        if (plan.order != order) continue;
        const double estimate = estimate_cycles(plan, config_).total;
        if (base != nullptr && estimate >= least) continue;
        base = &plan;
        least = estimate;
      }
      if (base != nullptr && could_win(*base)) try_transfers(*base, paced_for);
    }
  }

  /// Without tiles in the buffer, with all of them, and as in the best plan so far; with results
  /// that leave together, and one by one.
  void try_transfers(const TilingPlan& base, const MachineConfig& paced_for) {
    std::vector<TilingPlan> plans = {base};
    const auto add = [&](std::uint64_t slots, std::uint32_t share) {
      const auto plan = with_tile_slots(base, config_, static_cast<std::uint32_t>(slots), share);
      if (plan) plans.push_back(*plan);
    };
    const std::uint64_t tiles = base.k_tiles * base.n_tiles;
    if (config_.memory_kind != MemoryKind::kIdeal && tiles <= most_slots(config_)) {
      add(tiles, kTileShares);
    }
    if (best_.plan.tile_slots > 0) add(best_.plan.tile_slots, best_.plan.buffered_tiles);
    for (TilingPlan& plan : plans) {
      try_other(plan, paced_for);
      if (!is_narrow(plan)) continue;
      plan.stores_by_row = true;
      try_other(plan, paced_for);
    }
  }

  /// Whether results of the last column tile have rows of padding.
  bool is_narrow(const TilingPlan& plan) const {
    return last_result_rows(plan.spec, config_) < config_.result_row_rows();
  }

  /// With a store for each result if that saves more cycles than it adds instructions.
  CostedPlan with_best_stores(const CostedPlan& base, std::uint64_t& left) {
    if (!is_narrow(base.plan)) return base;
    CostedPlan by_row = base;
    by_row.plan.stores_by_row = true;
    const auto more = static_cast<Cycle>(by_row.plan.stores() - base.plan.stores());
    if (more >= base.cycles) return base;
    const auto cycles = cycles_of(by_row.plan, config_, left, base.cycles - more - 1);
    if (!cycles) return base;
    by_row.cycles = *cycles;
    consider(by_row);
    return by_row;
  }

  /// Finds the number of slots and the share of tiles for a part of the product. Then it replays
  /// the whole product with them.
  void with_best_tiles(const TilingPlan& plan) {
    const TilingPlan part = part_of(plan, config_);
    auto fewest = cycles_of(part, config_, tries_);
    if (!fewest) return;
    TilingPlan best = part;
    const auto try_on = [&](std::uint32_t slots, std::uint32_t share) {
      if (slots == 0 || share == 0 || share > kTileShares) return;
      const auto with_tiles = with_tile_slots(part, config_, slots, share);
      if (!with_tiles) return;
      // Rows that bring much else take the channel from others, so they must be worth it.
      const Cycle saved = brings_little_else(*with_tiles, config_) ? 1 : *fewest / 4;
      const auto cycles = cycles_of(*with_tiles, config_, tries_, *fewest - saved);
      if (!cycles) return;
      fewest = cycles;
      best = *with_tiles;
    };
    const TileChoices choices(part, config_);
    for (const std::uint32_t slots : choices.slots()) {
      for (const std::uint32_t share : choices.shares(slots)) try_on(slots, share);
    }
    if (best.tile_slots == 0) return;
    for (const std::uint32_t slots : {best.tile_slots / 2, best.tile_slots * 2}) {
      try_on(slots, best.buffered_tiles);
    }
    for (std::uint32_t step = kTileShares / 8; step > 0; step /= 2) {
      const std::uint32_t share = best.buffered_tiles;
      for (const std::uint32_t other : {share - std::min(step, share), share + step}) {
        try_on(best.tile_slots, other);
      }
    }
    const auto whole = with_tile_slots(plan, config_, best.tile_slots, best.buffered_tiles);
    if (!whole) return;
    const auto cycles = cycles_of(*whole, config_, confirmations_, most());
    if (cycles) consider({*whole, *cycles});
  }

  const MachineConfig& config_;
  const Choice choice_;
  CostedPlan best_;
  std::vector<CostedPlan> found_;  // those that are worth it
  bool is_first_ = true;
  std::uint64_t tries_ = kMostTried;
  std::uint64_t confirmations_ = kMostConfirmed;
  std::uint64_t others_ = kMostOfOthers;
};

}  // namespace

TilingPlan search_product(const std::vector<CostedPlan>& known, const MachineConfig& config) {
  ProductSearch search(known.front(), config);
  for (const CostedPlan& each : known) search.consider(each);
  std::vector<CostedPlan> bases = known;
  std::ranges::stable_sort(bases, {}, &CostedPlan::cycles);
  for (const CostedPlan& each : std::span(bases).first(std::min(bases.size(), kMostBases))) {
    search.from(each);
  }
  search.try_other_pacing();
  search.try_other_chunks();
  search.try_other_pacing();
  return std::move(search).chosen();
}

}  // namespace weft
