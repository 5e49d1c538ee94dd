#include "report/page/mapping_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/figures.h"
#include "compiler/rows/ceil_div.h"
#include "runtime/analysis/contraction_shape.h"

namespace weft::report {
namespace {

using compiler::FoldForm;
using compiler::FoldMap;
using compiler::ImageLines;
using compiler::KTile;
using compiler::LayerInfo;
using compiler::LayerTiles;
using compiler::ProductFolds;
using compiler::WeightRows;
using runtime::unsigned_of;

/// "3 × 3", or "2 × 3 × 3" with taps along z.
std::string window_text(const FoldMap& folds) {
  const auto& [z, y, x] = folds.walked;
  return z == 1 ? fmt::format("{} × {}", y, x) : fmt::format("{} × {} × {}", z, y, x);
}

std::string form_text(const FoldMap& folds) {
  switch (folds.form) {
    case FoldForm::kTapsApart:
      return fmt::format("taps apart: each of the {} taps{} begins a new k tile",
                         window_text(folds), folds.joined() ? " between joined lines" : "");
    case FoldForm::kPackedPatches:
      return fmt::format("packed patches: loads put the {} {} of each channel side by side{}",
                         window_text(folds), folds.joined() ? "pixels" : "taps",
                         folds.joined()
                             ? fmt::format(" that the windows of {} lines reach", folds.out.joined)
                             : "");
    case FoldForm::kPackedLines:
      return fmt::format(
          "packed lines: {} taps of a line side by side; each of the {} lines of "
          "the window begins a new k tile",
          folds.walked[2], folds.walked[0] * folds.walked[1]);
    case FoldForm::kProduct:
      break;
  }
  return folds.computed ? "product with weights that the network computes" : "product";
}

std::string group_text(const FoldMap& folds) {
  return fmt::format(
      "{}, each with {} and {}, as blocks of the tiles; tiles without weights are left out",
      grouped(unsigned_of(folds.groups)),
      counted(unsigned_of(folds.channels / folds.groups), "channel"),
      counted(unsigned_of(folds.filters / folds.groups), "filter"));
}

/// "channel c of line p of 4 is p × 32 + c; ...", or "... is ⌊c / 32⌋ × 128 + p × 32 + c mod 32".
std::string lines_text(const FoldMap& folds) {
  const auto place = [](const ImageLines& lines, std::int64_t each, const char* name) {
    const auto number = [](std::int64_t value) { return grouped(unsigned_of(value)); };
    const std::string of_line = fmt::format("{} {} of line p of {}", name, name[0], lines.joined);
    if (lines.slice == 0) return fmt::format("{} is p × {} + {}", of_line, number(each), name[0]);
    return fmt::format("{0} is ⌊{1} / {2}⌋ × {3} + p × {2} + {1} mod {2}", of_line, name[0],
                       number(lines.slice), number(lines.pitch));
  };
  std::vector<std::string> parts;
  if (folds.in.any()) parts.push_back(place(folds.in, folds.channels, "channel"));
  if (folds.out.any()) parts.push_back(place(folds.out, folds.filters, "filter"));
  return fmt::format("{}; zeros where a tap does not reach a line", fmt::join(parts, ", "));
}

std::size_t most_taps(const FoldMap& folds) {
  std::size_t most = 0;
  for (const ProductFolds& product : folds.products) {
    for (const KTile& tile : product.k_tiles) {
      std::set<std::int64_t> taps;
      for (const WeightRows& rows : tile.rows) {
        for (std::int64_t i = 0; i < rows.taps; ++i) taps.insert(rows.tap + i);
      }
      most = std::max(most, taps.size());
    }
  }
  return most;
}

/// "19 to 128 of 128; 57.4 % of the rows of all k tiles".
std::string rows_text(const FoldMap& folds, const MachineConfig& machine) {
  std::int64_t least = machine.array_rows;
  std::int64_t most = 0;
  std::int64_t tiles = 0;
  std::int64_t used = 0;
  for (const ProductFolds& product : folds.products) {
    const auto products = static_cast<std::int64_t>(product.products);
    tiles += products * product.count;
    used += products * folds.pieces * folds.k_rows;
    for (const KTile& tile : product.k_tiles) {
      least = std::min(least, tile.rows_used());
      most = std::max(most, tile.rows_used());
    }
  }
  const double share = static_cast<double>(used) / static_cast<double>(tiles) / machine.array_rows;
  const std::string range =
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return fmt::format("{} of {}; {} of the rows of all k tiles", range, machine.array_rows,
                     percent(share));
}

std::string products_text(const LayerInfo& info, const FoldMap& folds) {
  std::string text = grouped(info.tiles.products);
  if (folds.left_out > 0) {
    text += fmt::format("; {} of them begin in rows that are not drawn", grouped(folds.left_out));
  }
  return text;
}

/// "128 of 128; 104 in the last n tile".
std::string columns_text(const FoldMap& folds, const MachineConfig& machine) {
  const std::int64_t cols = machine.array_cols;
  const std::int64_t last = (folds.columns() - 1) % cols + 1;
  if (last == folds.columns() || last == cols) return fmt::format("{} of {}", last, cols);
  return fmt::format("{} of {}; {} in the last n tile", cols, cols, last);
}

std::string order_text(const Mapping& mapping) {
  return mapping.order == LoopOrder::kChunkOutermost ? "each chunk, each n tile, each k tile"
                                                     : "each n tile, each chunk";
}

/// The rows of the longest chunk. A mapping's limit may be longer, since chunks may end with a
/// line.
std::uint64_t longest_chunk(const LayerTiles& tiles) {
  std::int64_t most = 0;
  for (std::size_t i = 1; i < tiles.m.size(); ++i) {
    most = std::max(most, tiles.m[i] - tiles.m[i - 1]);
  }
  return unsigned_of(most);
}

Json facts_json(const LayerInfo& info, const FoldMap& folds, double padding,
                const MachineConfig& machine) {
  Json facts = Json::array({{"form", form_text(folds)}});
  const auto add = [&](std::string_view name, std::string text) {
    facts.push_back({name, std::move(text)});
  };
  if (folds.groups > 1) add("groups", group_text(folds));
  if (folds.joined()) add("lines in a row", lines_text(folds));
  if (folds.taps() > 1) {
    add("taps in a fold",
        fmt::format("{} of {}", most_taps(folds), grouped(unsigned_of(folds.taps()))));
  }
  if (folds.pieces > 1) {
    add("pieces",
        fmt::format("{} int8 numbers for each weight, in tiles of their own", folds.pieces));
  }
  add("rows used", rows_text(folds, machine));
  add("columns used", columns_text(folds, machine));
  add("tiles",
      fmt::format("{} × {}", counted(info.k_tiles, "k tile"), counted(info.n_tiles, "n tile")));
  if (info.tiles.products > 1) add("products", products_text(info, folds));
  add("chunks", fmt::format("{} of up to {}", grouped(info.tiles.m.size() - 1),
                            counted(longest_chunk(info.tiles), "row")));
  add("loops, outermost first", order_text(folds.mapping));
  if (!folds.images.empty()) add("images", folds.images);
  add("padding", fmt::format("{} of the issued MACs", percent(padding)));
  return facts;
}

struct RowsColumn {
  const char* name;
  std::int64_t WeightRows::*member;
};
constexpr RowsColumn kRowsColumns[] = {
    {"row", &WeightRows::row},           {"channel", &WeightRows::channel},
    {"channels", &WeightRows::channels}, {"tap", &WeightRows::tap},
    {"taps", &WeightRows::taps},         {"filter", &WeightRows::filter},
    {"filters", &WeightRows::filters},   {"column", &WeightRows::column},
    {"blocks", &WeightRows::blocks},     {"line_in", &WeightRows::line_in},
    {"line_out", &WeightRows::line_out}};
constexpr std::size_t kWithoutLines = std::size(kRowsColumns) - 2;

/// Columns of equal length; `tile` counts the listed k tiles.
Json rows_json(const ProductFolds& product, bool joined) {
  const auto listed =
      std::span(kRowsColumns).first(joined ? std::size(kRowsColumns) : kWithoutLines);
  Json columns = {{"tile", Json::array()}};
  for (std::size_t i = 0; i < product.k_tiles.size(); ++i) {
    for (const WeightRows& rows : product.k_tiles[i].rows) {
      columns["tile"].push_back(i);
      for (const auto& [name, member] : listed) columns[name].push_back(rows.*member);
    }
  }
  return columns;
}

Json product_json(const ProductFolds& product, bool joined) {
  std::vector<std::int64_t> numbers, pieces;
  for (const KTile& tile : product.k_tiles) {
    numbers.push_back(tile.number);
    pieces.push_back(tile.piece);
  }
  return {{"products", product.products},
          {"count", product.count},
          {"k_tiles", numbers},
          {"pieces", pieces},
          {"rows", rows_json(product, joined)}};
}

}  // namespace

std::size_t MappingList::add(const LayerInfo& info, const FoldMap& folds, double padding,
                             const MachineConfig& machine) {
  Json products = Json::array();
  for (const ProductFolds& product : folds.products) {
    products.push_back(product_json(product, folds.joined()));
  }
  Json mapping = {{"facts", facts_json(info, folds, padding, machine)},
                  {"is_convolution", folds.form != FoldForm::kProduct},
                  {"window", folds.window},
                  {"lines_in", folds.in.joined},
                  {"lines_out", folds.out.joined},
                  {"line_filters", folds.out.slice == 0 ? folds.filters : folds.out.slice},
                  {"filters", folds.columns()},
                  {"pieces", folds.pieces},
                  {"products", std::move(products)}};
  const auto [at, is_new] = numbers_.try_emplace(mapping.dump(), list_.size());
  if (is_new) list_.push_back(std::move(mapping));
  return at->second;
}

std::string lanes_text(const LayerInfo& info, const MachineConfig& machine) {
  const std::int64_t cols = machine.array_cols;
  std::int64_t channels = 0;
  std::int64_t tiles = 0;
  for (const std::int64_t part : info.lanes) {
    channels += part;
    tiles += compiler::ceil_div(part, cols);
  }
  const std::string parts =
      info.lanes.size() == 1 ? "" : fmt::format(" (parts of {})", fmt::join(info.lanes, ", "));
  return fmt::format("{}{} in {} of {} lanes; {} of the lanes used",
                     counted(unsigned_of(channels), "channel"), parts,
                     counted(unsigned_of(tiles), "tile"), cols,
                     percent(static_cast<double>(channels) / static_cast<double>(tiles * cols)));
}

}  // namespace weft::report
