// The tiles of A, B and the result as a drawing, values solid and padding shaded:
//
//   A [5,6]        B [6,3]        result [5,3]
//   +----+----+    +----+         +----+       drawn with box and block characters; a tile is a few
//   |####|##::|    |##::|         |##::|       characters whatever its size, and where there are
//   |####|##::|    |##::|         |##::|       more than six along a side the middle is left out.
//   +----+----+    +----+         +----+
#pragma once

#include <string>

#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// Ends with a legend line. UTF-8, at most 110 columns.
std::string draw_tiles(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft::cli
