#include "compiler/schedule/product/map_product.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/schedule/product/product_search.h"
#include "sim/timing/analytic.h"

namespace weft {
namespace {

// The most candidates, and the most instructions of them all, that are replayed: some 50 ms.
constexpr std::size_t kMostCandidates = 16;
constexpr std::uint64_t kMostInstructions = 100'000;
// The first candidate may take more: without its cycles no other can be judged.
constexpr std::uint64_t kMostOfFirst = 1'000'000;

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
  std::uint64_t left = kMostInstructions;
  std::vector<CostedPlan> known = {{plans.front(), *first}};
  const auto add = [&](const TilingPlan& plan) {
    if (const auto cycles = cycles_of(plan, config, left)) known.push_back({plan, *cycles});
  };
  std::ranges::for_each(plans.begin() + 1, plans.end(), add);
  const Cycle fewest = std::ranges::min(known, {}, &CostedPlan::cycles).cycles;
  if (fewest < *first - *first / 50) {
    std::swap(known.front(), *std::ranges::find(known, fewest, &CostedPlan::cycles));
  }
  std::ranges::for_each(plans_of_equal_chunks(spec, config), add);
  return search_product(known, config);
}

}  // namespace weft
