// What each instruction of a compiled product works on, for whoever draws or names it.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/tiling_plan.h"
#include "sim/isa/program.h"

namespace weft {

/// A tile of A [chunk, k_tile], of B [k_tile, n_tile] or of the result [chunk, n_tile]; -1 for what
/// an instruction does not depend on (a load of activations has no n tile).
struct InstructionTile {
  std::int64_t chunk = -1;
  std::int64_t k_tile = -1;
  std::int64_t n_tile = -1;
  friend bool operator==(const InstructionTile&, const InstructionTile&) = default;
};

/// One entry an instruction, in program order. `program` is lower_matmul()'s for `plan`.
std::vector<InstructionTile> instruction_tiles(const TilingPlan& plan, const Program& program);

}  // namespace weft
