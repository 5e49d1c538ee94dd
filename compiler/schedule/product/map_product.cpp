#include "compiler/schedule/product/map_product.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
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
  if (!other || other->cycles >= fewest - fewest / 20) return *best;
  const bool is_worth_it = other->cycles + instructions(other->plan) < fewest + instructions(*best);
  return is_worth_it ? other->plan : *best;
}

}  // namespace weft
