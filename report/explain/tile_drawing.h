// Draws the tiles of A, B and the result, with values solid and padding shaded:
//
//   A [5,6]        B [6,3]        result [5,3]
//   +----+----+    +----+         +----+       The drawing uses box and block characters. Every
//   |####|##::|    |##::|         |##::|       tile is a few characters wide, whatever its size.
//   |####|##::|    |##::|         |##::|       It leaves out the middle of more than six tiles
//   +----+----+    +----+         +----+       along one side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// A product of rows [m] and weights [taps * channels, n]. Each tap is padded separately.
struct DrawnProduct {
  std::string_view a = "A";
  std::string_view b = "B";
  std::string_view rows_name = "M";
  std::uint64_t m = 0;
  std::uint64_t channels = 0;
  std::uint64_t taps = 1;
  std::uint64_t n = 0;
  std::uint64_t chunk_rows = 0;
};

/// UTF-8, at most 80 columns. The last two lines are a legend.
std::string draw_tiles(const DrawnProduct& product, const MachineConfig& config);
std::string draw_tiles(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft::report
