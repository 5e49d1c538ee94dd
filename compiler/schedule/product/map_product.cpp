#include "compiler/schedule/product/map_product.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/schedule/product/product_transfers.h"
#include "sim/timing/analytic.h"

namespace weft {
namespace {

// The most candidates, and the most instructions of them all, that are replayed: some 50 ms.
constexpr std::size_t kMostCandidates = 16;
constexpr std::uint64_t kMostInstructions = 100'000;
// The first candidate may take more: without its cycles no other can be judged.
constexpr std::uint64_t kMostOfFirst = 1'000'000;

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

}  // namespace

std::optional<Cycle> cycles_of(const TilingPlan& plan, const MachineConfig& config,
                               std::uint64_t& left, Cycle most) {
  try {
    return analytic_total(config, *matmul_stream(plan, config), left, most);
  } catch (const InputError&) {
    return std::nullopt;  // too long for any run; who runs it will be told
  } catch (const DeadlockError&) {
    return std::nullopt;
  }
}

TilingPlan map_product(const MatmulSpec& spec, const MachineConfig& config) {
  const std::vector<TilingPlan> plans = matmul_plans(spec, config, kMostCandidates);
  std::uint64_t left_of_first = kMostOfFirst;
  const auto first = cycles_of(plans.front(), config, left_of_first);
  if (!first) return plans.front();
  PlanReplay replay(config);
  std::vector<CostedPlan> known = {{plans.front(), *first}};
  CostedPlan best = known.front();
  Cycle to_beat = *first - *first / 50;
  for (const TilingPlan& plan : std::span(plans).subspan(1)) {
    const auto cycles = replay.cycles(plan);
    if (!cycles) continue;
    known.push_back({plan, *cycles});
    if (*cycles >= to_beat) continue;
    to_beat = *cycles;
    best = known.back();
  }
  if (const auto other = best_of_equal_chunks(spec, config, replay)) {
    known.push_back(*other);
    const bool is_worth_it =
        other->cycles < best.cycles - best.cycles / 20 &&
        other->cycles + instructions(other->plan) < best.cycles + instructions(best.plan);
    if (is_worth_it) best = *other;
  }
  return with_best_transfers(best, known, config);
}

}  // namespace weft
