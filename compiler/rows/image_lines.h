// Images with several lines side by side in a row of their sheet
// (compiler/segments/lines/joined_lines.h).
#pragma once

#include <cstdint>

namespace weft::compiler {

/// How many lines of an image lie side by side in a row.
struct ImageLines {
  std::int64_t joined = 1;
  std::int64_t border = 0;  // lines of padding before the image's first, fewer than `joined`

  bool any() const { return joined > 1; }
  /// How many rows of joined lines hold an image of `lines` lines.
  std::int64_t rows_of(std::int64_t lines) const { return (lines + border + joined - 1) / joined; }
  /// Lines of padding after the image's last.
  std::int64_t border_after(std::int64_t lines) const {
    return rows_of(lines) * joined - border - lines;
  }
  /// True if some row also holds lines of padding.
  bool has_border(std::int64_t lines) const { return border > 0 || border_after(lines) > 0; }
  friend bool operator==(const ImageLines&, const ImageLines&) = default;
};

}  // namespace weft::compiler
