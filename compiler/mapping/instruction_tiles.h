// The tiles that each instruction of a compiled product works on, for reports and drawings.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "sim/isa/program.h"

namespace weft {

/// A tile of A [chunk, k_tile], of B [k_tile, n_tile] or of the result [chunk, n_tile]; -1 for a
/// number that an instruction does not depend on (a load of activations has no n tile).
struct InstructionTile {
  std::int64_t chunk = -1;
  std::int64_t k_tile = -1;
  std::int64_t n_tile = -1;
  friend bool operator==(const InstructionTile&, const InstructionTile&) = default;
};

/// One entry per instruction, in program order. `program` comes from lower_matmul() for `plan`.
std::vector<InstructionTile> instruction_tiles(const TilingPlan& plan, const Program& program);

}  // namespace weft
