#include "compiler/mapping/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// A dimension that is padded to whole tiles.
struct PaddedSize {
  char name;
  std::uint64_t MatmulSpec::*size;
  std::uint64_t padded;
  std::uint32_t tile;  // R for K, C for N
};

/// Suggests the nearest whole numbers of tiles, the smaller one first.
void suggest_whole_tiles(const TilingPlan& plan, const PaddedSize& dimension,
                         std::vector<Suggestion>& found) {
  const std::uint64_t size = plan.spec.*dimension.size;
  if (size == dimension.padded) return;
  Suggestion suggestion;
  suggestion.size = dimension.size;
  suggestion.waste = share(dimension.padded - size, dimension.padded);
  suggestion.statement = fmt::format("{} = {} wastes {:.1f} % of the array", dimension.name, size,
                                     100 * suggestion.waste);
  for (const std::uint64_t whole : {dimension.padded - dimension.tile, dimension.padded}) {
    if (whole == 0) continue;
    suggestion.alternatives.push_back(plan.spec);
    suggestion.alternatives.back().*dimension.size = whole;
  }
  found.push_back(std::move(suggestion));
}

/// With fewer rows than a tile has pushes, the array waits for weights in every fold but the last.
void suggest_batch(const TilingPlan& plan, const MachineConfig& config,
                   std::vector<Suggestion>& found) {
  const std::uint64_t batch = config.array_rows;
  if (!config.double_buffer || plan.spec.m >= batch || plan.folds < 2) return;
  Suggestion suggestion;
  suggestion.kind = SuggestionKind::kBatch;
  suggestion.size = &MatmulSpec::m;
  suggestion.waste = share(batch - plan.spec.m, batch);
  suggestion.statement =
      fmt::format("M = {} rows use each tile of weights, which takes {} cycles to shift in",
                  plan.spec.m, batch);
  suggestion.alternatives = {plan.spec};
  suggestion.alternatives.front().m = batch;
  found.push_back(std::move(suggestion));
}

/// A result leaves in rows of whole tiles of columns. Its transpose may have fewer of them. A bias
/// for each column cannot be one for each row.
void suggest_transposed(const TilingPlan& plan, const MachineConfig& config,
                        std::vector<Suggestion>& found) {
  const MatmulSpec& spec = plan.spec;
  const std::uint64_t columns = config.array_cols;
  const std::uint64_t turned = (spec.m + columns - 1) / columns * columns;
  // Results that leave one by one bring little padding.
  if (spec.bias || plan.stores_by_row || spec.m * plan.padded_n <= spec.n * turned) return;
  Suggestion suggestion;
  suggestion.kind = SuggestionKind::kTransposed;
  suggestion.size = &MatmulSpec::k;
  suggestion.waste = share(plan.padded_n - spec.n, plan.padded_n);
  suggestion.statement =
      fmt::format("Rows of the result leave with whole tiles of columns, {:.1f} % of them padding",
                  100 * suggestion.waste);
  suggestion.alternatives = {spec};
  std::swap(suggestion.alternatives.front().m, suggestion.alternatives.front().n);
  found.push_back(std::move(suggestion));
}

}  // namespace

std::vector<Suggestion> suggestions(const TilingPlan& plan, const MachineConfig& config) {
  std::vector<Suggestion> found;
  suggest_whole_tiles(plan, {'N', &MatmulSpec::n, plan.padded_n, config.array_cols}, found);
  suggest_whole_tiles(plan, {'K', &MatmulSpec::k, plan.padded_k, config.array_rows}, found);
  suggest_batch(plan, config, found);
  suggest_transposed(plan, config, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Suggestion& a, const Suggestion& b) { return a.waste > b.waste; });
  return found;
}

}  // namespace weft
