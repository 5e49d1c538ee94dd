#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/checked_math.h"
#include "compiler/plan/tiling_plan.h"
#include "sim/config/error.h"

namespace weft {
namespace {

struct Remark {
  double weight = 0;  // the share of the cycles or of the array that it is about
  std::string text;
};

/// formula_cycles of another shape on the same machine; nothing if that shape is out of range.
std::optional<std::uint64_t> cycles_of(const MatmulSpec& spec, const MachineConfig& config) {
  try {
    return plan_matmul(spec, config).formula_cycles();
  } catch (const Error&) {
    return std::nullopt;  // an alternative too large to plan is one not to mention
  }
}

double percent(double part, double whole) {
  return 100.0 * part / whole;
}

/// "half the cycles", "the same cycles" or "62.5 % of the cycles".
std::string share_of_cycles(std::uint64_t cycles, std::uint64_t of) {
  if (cycles == of) return "the same cycles";
  const double share = percent(static_cast<double>(cycles), static_cast<double>(of));
  if (share >= 49.5 && share < 50.5) return "half the cycles";
  return fmt::format("{:.1f} % of the cycles", share);
}

/// A dimension that is padded to whole tiles.
struct PaddedSize {
  char name;
  std::uint64_t MatmulSpec::*size;
  std::uint64_t padded;
  std::uint32_t tile;  // R for K, C for N
};

/// The nearest whole number of tiles: below if there is one and it is quicker, else above.
std::string alternative(const TilingPlan& plan, const PaddedSize& dimension,
                        const MachineConfig& config) {
  MatmulSpec spec = plan.spec;
  for (const std::uint64_t size : {dimension.padded - dimension.tile, dimension.padded}) {
    if (size == 0) continue;
    spec.*dimension.size = size;
    const auto cycles = cycles_of(spec, config);
    if (!cycles || (size < dimension.padded && *cycles >= plan.formula_cycles())) continue;
    return fmt::format("; {} would take {}", size, share_of_cycles(*cycles, plan.formula_cycles()));
  }
  return "";
}

void remark_on_padding(const TilingPlan& plan, const PaddedSize& dimension,
                       const MachineConfig& config, std::vector<Remark>& remarks) {
  const std::uint64_t size = plan.spec.*dimension.size;
  if (size == dimension.padded) return;
  const double waste =
      percent(static_cast<double>(dimension.padded - size), static_cast<double>(dimension.padded));
  remarks.push_back({waste, fmt::format("{} = {} wastes {:.1f} % of the array{}.", dimension.name,
                                        size, waste, alternative(plan, dimension, config))});
}

/// Fewer rows than a tile has pushes: the array waits for weights in every fold but the last.
void remark_on_short_m(const TilingPlan& plan, const MachineConfig& config,
                       std::vector<Remark>& remarks) {
  const std::uint64_t batch = config.array_rows;
  if (!config.double_buffer || plan.spec.m >= batch || plan.folds < 2) return;
  MatmulSpec spec = plan.spec;
  spec.m = batch;
  const auto cycles = cycles_of(spec, config);
  if (!cycles) return;
  const double waste =
      percent(static_cast<double>(batch - plan.spec.m), static_cast<double>(batch));
  remarks.push_back(
      {waste,
       fmt::format("M = {} is below the {} cycles that a tile's weight shift takes, so the "
                   "array waits for weights; a batch of {} rows would do {:.1f} times the "
                   "work in {:.1f} times the cycles.",
                   plan.spec.m, batch, batch,
                   static_cast<double>(batch) / static_cast<double>(plan.spec.m),
                   static_cast<double>(*cycles) / static_cast<double>(plan.formula_cycles()))});
}

}  // namespace

std::string advice(const TilingPlan& plan, const MachineConfig& config) {
  std::vector<Remark> remarks;
  remark_on_padding(plan, {'N', &MatmulSpec::n, plan.padded_n, config.array_cols}, config, remarks);
  remark_on_padding(plan, {'K', &MatmulSpec::k, plan.padded_k, config.array_rows}, config, remarks);
  const bool padded = !remarks.empty();
  remark_on_short_m(plan, config, remarks);
  if (!padded) {
    remarks.push_back(
        {0, fmt::format("Nothing is padded: K = {} and N = {} are whole tiles of "
                        "{} x {}.",
                        plan.spec.k, plan.spec.n, config.array_rows, config.array_cols)});
  }
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.weight > b.weight; });
  std::string text = remarks.front().text;
  if (remarks.size() > 1) text += " " + remarks[1].text;
  return text;
}

}  // namespace weft
