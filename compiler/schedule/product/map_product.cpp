#include "compiler/schedule/product/map_product.h"

#include <cstdint>
#include <optional>
#include <span>
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

  /// The plan's exact cycles; nullopt if that takes more instructions than are left. Skipped
  /// repetitions do not count.
  std::optional<Cycle> cycles(const TilingPlan& plan) {
    try {
      return analytic_total(config_, *matmul_stream(plan, config_), left_);
    } catch (const InputError&) {
      return std::nullopt;  // too long for any run; who runs it will be told
    } catch (const DeadlockError&) {
      return std::nullopt;
    }
  }

 private:
  const MachineConfig& config_;
  std::uint64_t left_ = kMostInstructions;
};

}  // namespace

TilingPlan map_product(const MatmulSpec& spec, const MachineConfig& config) {
  const std::vector<TilingPlan> plans = matmul_plans(spec, config, kMostCandidates);
  PlanReplay replay(config);
  const auto first = replay.cycles(plans.front());
  if (!first) return plans.front();
  const TilingPlan* best = &plans.front();
  Cycle to_beat = *first - *first / 50;
  for (const TilingPlan& plan : std::span(plans).subspan(1)) {
    const auto cycles = replay.cycles(plan);
    if (!cycles || *cycles >= to_beat) continue;
    to_beat = *cycles;
    best = &plan;
  }
  return *best;
}

}  // namespace weft
