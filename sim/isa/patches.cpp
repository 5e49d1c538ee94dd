#include "sim/isa/patches.h"

#include <algorithm>
#include <compare>
#include <optional>

namespace weft {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::uint64_t count_of(const std::vector<PatchPositions>& runs) {
  std::uint64_t count = 0;
  for (const PatchPositions& run : runs) count += run.count;
  return count;
}

/// The positions remainder + i*step of an axis, for `first` <= i < `end`.
struct Interval {
  std::int64_t remainder = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
  auto operator<=>(const Interval&) const = default;
};

/// Where a tap is inside the image: it meets the positions offset + i*step.
Interval met_by(const PatchAxis& axis, std::uint64_t windows, std::int64_t tap) {
  const std::int64_t step = axis.step;
  const std::int64_t limit = axis.limit;
  const std::int64_t offset = axis.origin + tap * axis.dilation;
  const std::int64_t moved = floor_div(offset, step);
  const std::int64_t remainder = offset - moved * step;
  return {remainder, std::max<std::int64_t>(moved, 0),
          std::min(moved + static_cast<std::int64_t>(windows),
                   floor_div(limit - 1 - remainder, step) + 1)};
}

/// The least of met_positions().
std::optional<std::uint64_t> first_met(const PatchAxis& axis, std::uint64_t windows,
                                       std::uint32_t first_tap, std::uint32_t end_tap) {
  std::optional<std::uint64_t> least;
  for (std::int64_t tap = first_tap; tap < end_tap; ++tap) {
    const Interval met = met_by(axis, windows, tap);
    if (met.first >= met.end) continue;
    const auto position = static_cast<std::uint64_t>(met.remainder + met.first * axis.step);
    least = least ? std::min(*least, position) : position;
  }
  return least;
}

}  // namespace

// Taps whose offsets leave the same remainder modulo `step` meet positions of one grid, on which
// their windows are intervals; these are joined.
std::vector<PatchPositions> met_positions(const PatchAxis& axis, std::uint64_t windows,
                                          std::uint32_t first_tap, std::uint32_t end_tap) {
  const std::int64_t step = axis.step;
  std::vector<Interval> intervals;
  intervals.reserve(end_tap - first_tap);
  for (std::int64_t tap = first_tap; tap < end_tap; ++tap) {
    const Interval met = met_by(axis, windows, tap);
    if (met.first < met.end) intervals.push_back(met);
  }
  std::ranges::sort(intervals);
  std::vector<PatchPositions> runs;
  runs.reserve(intervals.size());
  Interval before;  // what is covered of this grid so far
  for (Interval each : intervals) {
    if (each.remainder == before.remainder) each.first = std::max(each.first, before.end);
    if (each.first >= each.end) continue;
    before = each;
    runs.push_back({static_cast<std::uint64_t>(each.remainder + each.first * step),
                    static_cast<std::uint64_t>(each.end - each.first),
                    static_cast<std::uint64_t>(step)});
  }
  return runs;
}

std::vector<PatchChannel> patch_channels(const Patches& patches) {
  const std::uint64_t taps = std::uint64_t{patches.x.taps} * patches.y.taps;
  const std::uint64_t end = std::uint64_t{patches.first} + patches.lanes;
  std::vector<PatchChannel> channels;
  for (std::uint64_t channel = patches.first / taps; channel * taps < end; ++channel) {
    const std::uint64_t from = std::max<std::uint64_t>(patches.first, channel * taps);
    const std::uint64_t to = std::min(end, (channel + 1) * taps);
    channels.push_back(
        {channel, static_cast<std::uint32_t>((from - channel * taps) / patches.x.taps),
         static_cast<std::uint32_t>((to - 1 - channel * taps) / patches.x.taps) + 1});
  }
  return channels;
}

std::optional<std::uint64_t> image_end(const Patches& patches) {
  const std::uint64_t taps = std::uint64_t{patches.x.taps} * patches.y.taps;
  const std::uint64_t channels = (std::uint64_t{patches.first} + patches.lanes - 1) / taps + 1;
  std::uint64_t end = 0;
  if (__builtin_mul_overflow(std::uint64_t{patches.x.limit} * patches.y.limit, channels, &end) ||
      __builtin_add_overflow(end, patches.offset, &end)) {
    return std::nullopt;
  }
  return end;
}

std::uint64_t patch_elements(const Load& load) {
  const Patches& patches = *load.patches;
  const std::uint64_t windows = load.rows / patches.width;
  const std::uint64_t columns =
      count_of(met_positions(patches.x, patches.width, 0, patches.x.taps));
  std::uint64_t lines = 0;
  PatchChannel counted;
  std::uint64_t lines_of_channel = 0;
  for (const PatchChannel& each : patch_channels(patches)) {
    if (each.first_tap_line != counted.first_tap_line ||
        each.end_tap_line != counted.end_tap_line) {
      lines_of_channel =
          count_of(met_positions(patches.y, windows, each.first_tap_line, each.end_tap_line));
      counted = each;
    }
    lines += lines_of_channel;
  }
  return std::max<std::uint64_t>(1, lines * columns);
}

std::uint64_t first_patch_element(const Load& load) {
  const Patches& patches = *load.patches;
  const auto column = first_met(patches.x, patches.width, 0, patches.x.taps);
  if (!column) return patches.offset;
  for (const PatchChannel& each : patch_channels(patches)) {
    const auto line =
        first_met(patches.y, load.rows / patches.width, each.first_tap_line, each.end_tap_line);
    if (!line) continue;
    const std::uint64_t lines = each.channel * patches.y.limit + *line;
    return patches.offset + lines * patches.x.limit + *column;
  }
  return patches.offset;
}

}  // namespace weft
