// Images with several lines side by side in a row of their sheet
// (compiler/segments/lines/joined_lines.h).
#pragma once

#include <cstdint>

namespace weft::compiler {

/// How many lines of an image lie side by side in a row.
struct ImageLines {
  std::int64_t joined = 1;
  std::int64_t border = 0;  // lines of padding before the image's first, fewer than `joined`
  /// Channels of a slice: only these lie side by side, for all joined lines, before the next slice
  /// begins. 0: all channels of a line lie side by side.
  std::int64_t slice = 0;
  std::int64_t pitch = 0;  // lanes from slice to slice, at least joined * slice

  bool any() const { return joined > 1; }
  /// How many rows of joined lines hold an image of `lines` lines.
  std::int64_t rows_of(std::int64_t lines) const { return (lines + border + joined - 1) / joined; }
  /// Lines of padding after the image's last.
  std::int64_t border_after(std::int64_t lines) const {
    return rows_of(lines) * joined - border - lines;
  }
  /// True if some row also holds lines of padding.
  bool has_border(std::int64_t lines) const { return border > 0 || border_after(lines) > 0; }
  /// True if each lane of each row belongs to one of the image's `lines` lines, line by line.
  bool is_dense(std::int64_t lines) const { return slice == 0 && !has_border(lines); }

  /// Slices of an image of `channels` channels.
  std::int64_t slices(std::int64_t channels) const {
    return slice == 0 ? 1 : (channels + slice - 1) / slice;
  }
  /// Lanes of a slice that hold its lines.
  std::int64_t slice_lanes(std::int64_t channels) const {
    return joined * (slice == 0 ? channels : slice);
  }
  /// Lanes of a row, with those that no line fills.
  std::int64_t lanes(std::int64_t channels) const {
    return slice == 0 ? joined * channels : slices(channels) * pitch;
  }
  /// The lane of channel `channel` of line `line` of the joined ones.
  std::int64_t lane(std::int64_t channels, std::int64_t line, std::int64_t channel) const {
    if (slice == 0) return line * channels + channel;
    return channel / slice * pitch + line * slice + channel % slice;
  }
  friend bool operator==(const ImageLines&, const ImageLines&) = default;
};

}  // namespace weft::compiler
