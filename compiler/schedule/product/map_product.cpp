#include "compiler/schedule/product/map_product.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/matmul_walk.h"
#include "sim/timing/analytic.h"

namespace weft {
namespace {

// The most candidates, and the most instructions of them all, that are replayed: some 50 ms.
constexpr std::size_t kMostCandidates = 16;
constexpr std::uint64_t kMostInstructions = 100'000;

/// Replays plans while its share of instructions lasts.
class PlanReplay {
 public:
  explicit PlanReplay(const MachineConfig& config) : config_(config) {}

  std::optional<Cycle> cycles(const TilingPlan& plan) { return cycles_of(plan, config_, left_); }

 private:
  const MachineConfig& config_;
  std::uint64_t left_ = kMostInstructions;
};

/// About as many as the plan's program has: a load and a product for each, two for each result.
Cycle instructions(const TilingPlan& plan) {
  return static_cast<Cycle>(2 * (plan.matmuls() + plan.region_uses()));
}

struct CostedPlan {
  TilingPlan plan;
  Cycle cycles;
};

/// Of the plans within a fiftieth of the fewest cycles, the one with the fewest instructions.
std::optional<CostedPlan> best_of_equal_chunks(const MatmulSpec& spec, const MachineConfig& config,
                                               PlanReplay& replay) {
  std::vector<CostedPlan> all;
  for (const TilingPlan& plan : plans_of_equal_chunks(spec, config)) {
    if (const auto cycles = replay.cycles(plan)) all.push_back({plan, *cycles});
  }
  if (all.empty()) return std::nullopt;
  const Cycle fewest = std::ranges::min(all, {}, &CostedPlan::cycles).cycles;
  std::erase_if(all, [&](const CostedPlan& each) { return each.cycles > fewest + fewest / 50; });
  return std::ranges::min(all, {}, [](const CostedPlan& each) {
    return std::tuple(instructions(each.plan), each.plan.folds, each.cycles);
  });
}

/// Slots and shares worth trying for the tiles of a plan that come through the unified buffer.
class TileChoices {
 public:
  TileChoices(const TilingPlan& plan, const MachineConfig& config)
      : plan_(plan), config_(config), tiles_(plan.k_tiles * plan.n_tiles) {}

  /// Up to half of the buffer for the slots, in powers of two.
  std::vector<TilingPlan> plans() const {
    std::vector<TilingPlan> plans;
    const std::uint64_t most =
        compiler::usable_rows(config_) / 2 / compiler::tile_slot_rows(config_);
    for (std::uint32_t slots = 2; slots <= most; slots *= 2) {
      for (const std::uint32_t share : shares(slots)) {
        if (auto plan = with_tile_slots(plan_, config_, slots, share)) plans.push_back(*plan);
      }
      if (slots >= tiles_) break;
    }
    return plans;
  }

 private:
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

/// The plan with tiles through the unified buffer, if that saves a fiftieth of the cycles. It has
/// the same folds, so it takes no less than the formula says.
TilingPlan with_best_tiles(const TilingPlan& plan, Cycle cycles, const MachineConfig& config) {
  if (config.memory_kind == MemoryKind::kIdeal) return plan;
  TilingPlan best = plan;
  Cycle fewest = cycles - cycles / 50;
  if (static_cast<std::uint64_t>(fewest) <= plan.formula_cycles()) return plan;
  PlanReplay replay(config);
  const auto consider = [&](const TilingPlan& each) {
    const auto found = replay.cycles(each);
    if (!found || *found >= fewest) return;
    fewest = *found;
    best = each;
  };
  for (const TilingPlan& each : TileChoices(plan, config).plans()) consider(each);
  for (std::uint32_t step = kTileShares / 8; step > 0; step /= 2) {
    const std::uint32_t share = best.buffered_tiles;
    for (const std::uint32_t other : {share - std::min(step, share), share + step}) {
      if (share == 0 || other > kTileShares) continue;
      if (const auto each = with_tile_slots(plan, config, best.tile_slots, other)) consider(*each);
    }
  }
  return best;
}

}  // namespace

std::optional<Cycle> cycles_of(const TilingPlan& plan, const MachineConfig& config,
                               std::uint64_t& left) {
  try {
    return analytic_total(config, *matmul_stream(plan, config), left);
  } catch (const InputError&) {
    return std::nullopt;  // too long for any run; who runs it will be told
  } catch (const DeadlockError&) {
    return std::nullopt;
  }
}

TilingPlan map_product(const MatmulSpec& spec, const MachineConfig& config) {
  const std::vector<TilingPlan> plans = matmul_plans(spec, config, kMostCandidates);
  PlanReplay replay(config);
  const auto first = replay.cycles(plans.front());
  if (!first) return plans.front();
  const TilingPlan* best = &plans.front();
  Cycle fewest = *first;
  Cycle to_beat = *first - *first / 50;
  for (const TilingPlan& plan : std::span(plans).subspan(1)) {
    const auto cycles = replay.cycles(plan);
    if (!cycles || *cycles >= to_beat) continue;
    fewest = to_beat = *cycles;
    best = &plan;
  }
  const auto other = best_of_equal_chunks(spec, config, replay);
  const bool is_worth_it = other && other->cycles < fewest - fewest / 20 &&
                           other->cycles + instructions(other->plan) < fewest + instructions(*best);
  if (is_worth_it) return with_best_tiles(other->plan, other->cycles, config);
  return with_best_tiles(*best, fewest, config);
}

}  // namespace weft
