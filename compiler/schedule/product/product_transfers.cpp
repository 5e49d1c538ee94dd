#include "compiler/schedule/product/product_transfers.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/schedule/product/map_product.h"

namespace weft {
namespace {

// The most instructions that are replayed to find candidates, and to confirm them: 0.1 s and 0.3 s.
constexpr std::uint64_t kMostTried = 300'000;
constexpr std::uint64_t kMostConfirmed = 1'000'000;
// Of a product with more matmuls than this, the search replays a part with about this many.
constexpr std::uint64_t kPartOfProduct = 600;

/// Slots and shares worth trying for the tiles of a plan that come through the unified buffer.
class TileChoices {
 public:
  TileChoices(const TilingPlan& plan, const MachineConfig& config)
      : plan_(plan), config_(config), tiles_(plan.k_tiles * plan.n_tiles) {}

  /// Up to half of the buffer, or a slot for each tile; then a quarter, a sixteenth and so on.
  std::vector<std::uint32_t> slots() const {
    const std::uint64_t most =
        std::min(tiles_, compiler::usable_rows(config_) / 2 / compiler::tile_slot_rows(config_));
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

class TransferSearch {
 public:
  TransferSearch(const CostedPlan& chosen, const MachineConfig& config)
      : config_(config), best_(chosen) {}

  bool has_budget() const { return tries_ > 0 && confirmations_ > 0; }

  /// Another plan than the best so far must save a fiftieth of its cycles.
  void from(const CostedPlan& base) {
    to_beat_ = best_.cycles - best_.cycles / 50;
    const CostedPlan stored = with_best_stores(base, is_first_ ? confirmations_ : tries_);
    is_first_ = false;
    if (config_.memory_kind != MemoryKind::kIdeal && could_win(stored.plan)) {
      with_best_tiles(stored.plan);
    }
  }

  TilingPlan best() && { return std::move(best_.plan); }

 private:
  /// A plan takes no less than the formula of its folds says.
  bool could_win(const TilingPlan& plan) const {
    return plan.formula_cycles() < static_cast<std::uint64_t>(to_beat_);
  }

  void consider(const CostedPlan& plan) {
    if (plan.cycles >= to_beat_) return;
    to_beat_ = plan.cycles;
    best_ = plan;
  }

  /// A store for each result must save more cycles than it adds instructions.
  CostedPlan with_best_stores(const CostedPlan& base, std::uint64_t& left) {
    if (last_result_rows(base.plan.spec, config_) == config_.result_row_rows()) return base;
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

  /// Finds slots and a share for a part of the product, and confirms them for the whole.
  void with_best_tiles(const TilingPlan& plan) {
    const TilingPlan part = part_of(plan, config_);
    auto fewest = cycles_of(part, config_, tries_);
    if (!fewest) return;
    TilingPlan best = part;
    const auto try_on = [&](std::uint32_t slots, std::uint32_t share) {
      if (slots == 0 || share == 0 || share > kTileShares) return;
      const auto with_tiles = with_tile_slots(part, config_, slots, share);
      if (!with_tiles || !brings_little_else(*with_tiles, config_)) return;
      const auto cycles = cycles_of(*with_tiles, config_, tries_, *fewest - 1);
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
    const auto cycles = cycles_of(*whole, config_, confirmations_, to_beat_ - 1);
    if (cycles) consider({*whole, *cycles});
  }

  const MachineConfig& config_;
  CostedPlan best_;
  Cycle to_beat_ = 0;
  bool is_first_ = true;
  std::uint64_t tries_ = kMostTried;
  std::uint64_t confirmations_ = kMostConfirmed;
};

}  // namespace

TilingPlan with_best_transfers(const CostedPlan& chosen, std::span<const CostedPlan> known,
                               const MachineConfig& config) {
  TransferSearch search(chosen, config);
  search.from(chosen);
  for (const CostedPlan& other : known) {
    if (!search.has_budget()) break;
    if (other.plan != chosen.plan) search.from(other);
  }
  return std::move(search).best();
}

}  // namespace weft
