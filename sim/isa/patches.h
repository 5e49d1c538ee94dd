// Which elements of a dense image a load of patches needs (Patches in instruction.h). Lines and
// columns are independent, so the needed elements of a channel are some of its lines times some of
// its columns:
//
//   3 x 3 taps, step 2, two windows side by side: lines 0..2, columns 0..4
//
//     column   0 1 2 3 4 5
//     line 0   # # # # # .
//     line 1   # # # # # .
//     line 2   # # # # # .
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/instruction.h"

namespace weft {

/// The most taps of an axis.
inline constexpr std::uint32_t kMostPatchTaps = 4096;

/// The positions first, first + step, ... of an axis.
struct PatchPositions {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t step = 1;

  std::uint64_t last() const { return first + (count - 1) * step; }
};

/// The positions inside the image that taps [first_tap, end_tap) of windows 0 .. windows-1 meet,
/// each in exactly one of the runs.
std::vector<PatchPositions> met_positions(const PatchAxis& axis, std::uint64_t windows,
                                          std::uint32_t first_tap, std::uint32_t end_tap);

/// The needed elements of one channel.
struct PatchChannel {
  std::uint64_t channel = 0;
  std::uint32_t first_tap_line = 0;
  std::uint32_t end_tap_line = 0;
};

/// The channels that the lanes reach, each with the tap lines that they reach there.
std::vector<PatchChannel> patch_channels(const Patches& patches);

/// The element after the last channel that the lanes reach, counted from the first element of the
/// load's host row; nullopt if it does not fit 64 bits. Taps are at least 1.
std::optional<std::uint64_t> image_end(const Patches& patches);

/// Elements that the load takes from host memory: each needed one once, and at least one. Where the
/// lanes reach a part of a tap line, the whole tap line is needed.
std::uint64_t patch_elements(const Load& load);

/// The needed element with the lowest address, or the image's first element if there is none.
std::uint64_t first_patch_element(const Load& load);

/// Calls function(first, last) for each needed line of the image: its first and last needed
/// element, counted from the first element of host row `host`.
template <class Function>
void for_each_patch_line(const Load& load, Function&& function) {
  const Patches& patches = *load.patches;
  std::uint64_t first_column = UINT64_MAX;
  std::uint64_t last_column = 0;
  for (const PatchPositions& run : met_positions(patches.x, patches.width, 0, patches.x.taps)) {
    first_column = std::min(first_column, run.first);
    last_column = std::max(last_column, run.last());
  }
  if (first_column == UINT64_MAX) return;
  const std::uint64_t columns = patches.x.limit;
  const std::uint64_t windows = load.rows / patches.width;
  for (const PatchChannel& each : patch_channels(patches)) {
    const std::uint64_t channel = patches.offset + each.channel * patches.y.limit * columns;
    for (const PatchPositions& run :
         met_positions(patches.y, windows, each.first_tap_line, each.end_tap_line)) {
      for (std::uint64_t i = 0; i < run.count; ++i) {
        const std::uint64_t line = channel + (run.first + i * run.step) * columns;
        function(line + first_column, line + last_column);
      }
    }
  }
}

}  // namespace weft
