#include "runtime/workload/memory_check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/mapping/tile_walk.h"
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
  // region; a load per plane of a tile that comes through the unified buffer.
  const TileWalk tiles(plan);
  return plan.folds + 2 * plan.matmuls() + 2 * plan.region_uses() + plan.stores() +
         tiles.loads() * tiles.most_planes();
}

double program_bytes(const TilingPlan& plan) {
  return static_cast<double>(most_instructions(plan)) *
         static_cast<double>(sizeof(Instruction) + sizeof(InstructionTiming));
}

double matrix_bytes(const Program& program) {
  double bytes = 0;
  for (const TensorDecl& tensor : program.tensors) {
    bytes += static_cast<double>(tensor.rows) * static_cast<double>(tensor.cols) *
             element_bytes(tensor.type);
  }
  return bytes;
}

}  // namespace weft::runtime
