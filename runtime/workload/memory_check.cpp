#include "runtime/workload/memory_check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/schedule/map_product.h"
#include "sim/memory/physical_memory.h"
#include "sim/timing/timeline.h"

namespace weft::runtime {

void check_memory(double bytes, std::string_view what, std::string_view advice) {
  const auto physical = static_cast<double>(physical_memory_bytes());
  if (bytes <= physical) return;
  throw InputError(fmt::format("{} would take {}, but this computer has {}; {}", what,
                               si(bytes, "B"), si(physical, "B"), advice));
}

std::uint64_t most_instructions(const TilingPlan& plan) {
  // One fetch per fold; a load and a matmul per slice; a vector, a store and a bias load per
  // region.
  return plan.folds + 2 * plan.matmuls() + 3 * plan.region_uses();
}

TilingPlan plan_workload(const MatmulSpec& spec, const MachineConfig& config,
                         std::string_view advice) {
  TilingPlan plan = map_product(spec, config);
  const double bytes = static_cast<double>(most_instructions(plan)) *
                       static_cast<double>(sizeof(Instruction) + sizeof(InstructionTiming));
  check_memory(bytes, "the program", advice);
  return plan;
}

}  // namespace weft::runtime
