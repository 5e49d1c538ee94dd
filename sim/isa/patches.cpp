#include "sim/isa/patches.h"

#include <algorithm>
#include <compare>
#include <optional>

namespace weft {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
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

/// How many positions met_positions() has.
std::uint64_t count_met(const PatchAxis& axis, std::uint64_t windows, std::uint32_t first_tap,
                        std::uint32_t end_tap) {
  const std::int64_t taps = std::int64_t{end_tap} - first_tap;
  if (axis.dilation != 1 || axis.step > taps) {
    std::uint64_t count = 0;
    for (const PatchPositions& run : met_positions(axis, windows, first_tap, end_tap)) {
      count += run.count;
    }
    return count;
  }
  // The windows leave no gap, so the positions form one interval. Windows that begin beyond the
  // image meet nothing. Without them, no position is too large for its type.
  const std::int64_t limit = axis.limit;
  const std::int64_t step = axis.step;
  const std::int64_t begin = axis.origin + std::int64_t{first_tap};
  if (windows == 0 || begin >= limit) return 0;
  const auto inside = static_cast<std::uint64_t>((limit - 1 - begin) / step + 1);
  const auto last = static_cast<std::int64_t>(std::min(windows, inside)) - 1;
  const std::int64_t end = std::min(limit, begin + last * step + taps);
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, end - std::max<std::int64_t>(begin, 0)));
}

/// The first and the last channel from which a patch takes elements.
struct ChannelRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

ChannelRange channels_of(const Patches& patches) {
  const std::uint64_t taps = std::uint64_t{patches.x.taps} * patches.y.taps;
  return {patches.first / taps, (std::uint64_t{patches.first} + patches.lanes - 1) / taps};
}

PatchChannel part_of_channel(const Patches& patches, std::uint64_t channel) {
  const std::uint64_t taps = std::uint64_t{patches.x.taps} * patches.y.taps;
  const std::uint64_t end = std::uint64_t{patches.first} + patches.lanes;
  const std::uint64_t from = std::max<std::uint64_t>(patches.first, channel * taps);
  const std::uint64_t to = std::min(end, (channel + 1) * taps);
  return {channel, static_cast<std::uint32_t>((from - channel * taps) / patches.x.taps),
          static_cast<std::uint32_t>((to - 1 - channel * taps) / patches.x.taps) + 1};
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
  const ChannelRange range = channels_of(patches);
  std::vector<PatchChannel> channels;
  for (std::uint64_t channel = range.first; channel <= range.last; ++channel) {
    channels.push_back(part_of_channel(patches, channel));
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
  const auto lines_of = [&](std::uint32_t first_tap, std::uint32_t end_tap) {
    return count_met(patches.y, windows, first_tap, end_tap);
  };
  const auto lines_of_part = [&](std::uint64_t channel) {
    const PatchChannel part = part_of_channel(patches, channel);
    return lines_of(part.first_tap_line, part.end_tap_line);
  };
  const ChannelRange range = channels_of(patches);
  std::uint64_t lines = lines_of_part(range.first);
  if (range.last > range.first) lines += lines_of_part(range.last);
  // Between them all taps are there.
  const std::uint64_t whole = range.last - range.first;
  if (whole > 1) lines += (whole - 1) * lines_of(0, patches.y.taps);
  const std::uint64_t columns = count_met(patches.x, patches.width, 0, patches.x.taps);
  return std::max<std::uint64_t>(1, lines * columns);
}

std::uint64_t first_patch_element(const Load& load) {
  const Patches& patches = *load.patches;
  const auto column = first_met(patches.x, patches.width, 0, patches.x.taps);
  if (!column) return patches.offset;
  const ChannelRange range = channels_of(patches);
  for (std::uint64_t channel = range.first; channel <= range.last; ++channel) {
    const PatchChannel part = part_of_channel(patches, channel);
    const auto line =
        first_met(patches.y, load.rows / patches.width, part.first_tap_line, part.end_tap_line);
    if (!line) continue;
    const std::uint64_t lines = channel * patches.y.limit + *line;
    return patches.offset + lines * patches.x.limit + *column;
  }
  return patches.offset;
}

}  // namespace weft
