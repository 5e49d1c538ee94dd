// The tiles of A, B and the result as a drawing, values solid and padding shaded:
//
//   A [5,6]        B [6,3]        result [5,3]
//   +----+----+    +----+         +----+       drawn with box and block characters; a tile is a few
//   |####|##::|    |##::|         |##::|       characters whatever its size, and where there are
//   |####|##::|    |##::|         |##::|       more than six along a side the middle is left out.
//   +----+----+    +----+         +----+
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// Rows [m] times weights [taps * channels, n], whose taps are padded each by itself.
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

/// Ends with a legend of two lines. UTF-8, at most 80 columns.
std::string draw_tiles(const DrawnProduct& product, const MachineConfig& config);
std::string draw_tiles(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft::cli
