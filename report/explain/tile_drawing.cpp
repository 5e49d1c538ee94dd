#include "report/explain/tile_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "report/text.h"

namespace weft::report {
namespace {

constexpr std::uint64_t kMostTiles = 6;   // drawn along a side
constexpr std::uint64_t kTileWidth = 4;   // characters
constexpr std::uint64_t kTileHeight = 2;  // lines
constexpr std::size_t kGap = 3;           // between two matrices
constexpr std::size_t kMostColumns = 80;
constexpr std::string_view kValue = "█";
constexpr std::string_view kPadding = "░";

/// One tile or chunk along a side: its number of characters, and how many of them are values.
struct Band {
  std::uint64_t size = 0;
  std::uint64_t used = 0;
  bool omitted = false;  // stands for all tiles that are not drawn
};

/// Rounds up, but keeps at least one character of padding if there is any.
std::uint64_t scaled(std::uint64_t used, std::uint64_t whole, std::uint64_t characters) {
  const std::uint64_t cells = (used * characters + whole - 1) / whole;
  return used < whole ? std::min(cells, characters - 1) : characters;
}

/// A side of a matrix: `length` elements in tiles of `tile`, repeated `repeats` times.
struct Side {
  std::uint64_t length = 0;
  std::uint64_t tile = 0;
  std::uint64_t repeats = 1;
};

/// With `padded`, padding fills the last tile of each repetition. Without it (M) the last tile is
/// shorter.
std::vector<Band> cut(const Side& side, std::uint64_t characters, bool padded) {
  const std::uint64_t tiles = (side.length + side.tile - 1) / side.tile;
  const std::uint64_t count = tiles * side.repeats;
  const std::uint64_t last = std::max<std::uint64_t>(
      1, scaled(side.length - (tiles - 1) * side.tile, side.tile, characters));
  std::vector<Band> segments;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (count > kMostTiles && i == kMostTiles - 2) {
      segments.push_back({1, 1, true});
      i = count - 1;
    }
    const bool whole = (i + 1) % tiles != 0;
    segments.push_back({whole || padded ? characters : last, whole ? characters : last, false});
  }
  return segments;
}

std::string repeat(std::string_view text, std::uint64_t count) {
  std::string out;
  for (std::uint64_t i = 0; i < count; ++i) out += text;
  return out;
}

/// A line of text and its width on the screen, which is less than its number of bytes.
struct Line {
  std::string text;
  std::size_t width = 0;

  void add(std::string_view piece, std::size_t columns) {
    text += piece;
    width += columns;
  }
};

using Drawing = std::vector<Line>;

Line rule(const std::vector<Band>& cols, std::string_view left, std::string_view middle,
          std::string_view right) {
  Line line;
  line.add(left, 1);
  for (std::size_t i = 0; i < cols.size(); ++i) {
    if (i > 0) line.add(middle, 1);
    line.add(repeat(cols[i].omitted ? "┄" : "─", cols[i].size), cols[i].size);
  }
  line.add(right, 1);
  return line;
}

Line cells(const std::vector<Band>& cols, bool padding_row, bool omitted_row) {
  Line line;
  for (const Band& col : cols) {
    line.add("│", 1);
    if (col.omitted || omitted_row) {
      line.add(repeat(omitted_row ? "┆" : "…", col.size), col.size);
      continue;
    }
    const std::uint64_t values = padding_row ? 0 : col.used;
    line.add(repeat(kValue, values), values);
    line.add(repeat(kPadding, col.size - values), col.size - values);
  }
  line.add("│", 1);
  return line;
}

Drawing draw(const std::string& title, const std::vector<Band>& rows,
             const std::vector<Band>& cols) {
  Drawing drawing = {{title, title.size()}, rule(cols, "┌", "┬", "┐")};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) drawing.push_back(rule(cols, "├", "┼", "┤"));
    for (std::uint64_t y = 0; y < rows[i].size; ++y) {
      drawing.push_back(cells(cols, y >= rows[i].used, rows[i].omitted));
    }
  }
  drawing.push_back(rule(cols, "└", "┴", "┘"));
  return drawing;
}

std::size_t width_of(const Drawing& drawing) {
  return std::ranges::max_element(drawing, {}, &Line::width)->width;
}

std::string side_by_side(std::span<const Drawing> drawings) {
  std::size_t height = 0;
  for (const Drawing& drawing : drawings) height = std::max(height, drawing.size());
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::string line = "  ";
    for (const Drawing& drawing : drawings) {
      const Line empty;
      const Line& part = y < drawing.size() ? drawing[y] : empty;
      line += part.text + std::string(width_of(drawing) - part.width + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// Puts the drawings side by side if they fit, else the last one below the others.
std::string arranged(const std::vector<Drawing>& drawings) {
  std::size_t width = 2;
  for (const Drawing& drawing : drawings) width += width_of(drawing) + kGap;
  const std::span<const Drawing> all(drawings);
  if (width - kGap <= kMostColumns) return side_by_side(all);
  return side_by_side(all.first(all.size() - 1)) + side_by_side(all.last(1));
}

}  // namespace

std::string draw_tiles(const DrawnProduct& product, const MachineConfig& config) {
  const Side along_m = {product.m, product.chunk_rows, 1};
  const Side along_k = {product.channels, config.array_rows, product.taps};
  const Side along_n = {product.n, config.array_cols, 1};
  const auto m = cut(along_m, kTileHeight, false);
  const auto n = cut(along_n, kTileWidth, true);
  const std::uint64_t k = product.channels * product.taps;
  const std::string text = arranged(
      {draw(fmt::format("{} [{},{}]", product.a, product.m, k), m, cut(along_k, kTileWidth, true)),
       draw(fmt::format("{} [{},{}]", product.b, k, product.n), cut(along_k, kTileHeight, true), n),
       draw(fmt::format("result [{},{}]", product.m, product.n), m, n)});
  return text + fmt::format(
                    "  {} values  {} padding, not to scale\n"
                    "  a tile of {} is {} x {}, a chunk of {} {}\n",
                    kValue, kPadding, product.b, config.array_rows, config.array_cols,
                    product.rows_name, counted(product.chunk_rows, "row"));
}

std::string draw_tiles(const TilingPlan& plan, const MachineConfig& config) {
  const MatmulSpec& spec = plan.spec;
  return draw_tiles({"A", "B", "M", spec.m, spec.k, 1, spec.n, plan.chunk_rows}, config);
}

}  // namespace weft::report
