#include "models/imports/scalesim_topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "models/imports/text_file.h"

namespace weft::imports {
namespace {

constexpr std::string_view kTopologyFile = "a SCALE-Sim topology";
constexpr std::array<std::string_view, 8> kConvColumns = {
    "the name",         "the ifmap height", "the ifmap width", "the filter height",
    "the filter width", "the channels",     "the filters",     "the stride"};
constexpr std::array<std::string_view, 4> kGemmColumns = {"the name", "M", "N", "K"};
// Far above any layer, yet products of a few of them fit 64 bits.
constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 31U;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostLayers = 1'000'000;
constexpr std::size_t kShownColumns = 10;

using Cells = std::vector<std::string_view>;

/// Cells of a row, trimmed. Tabs separate cells where there is no comma.
Cells cells_of(std::string_view row) {
  const char separator = row.find(',') == std::string_view::npos ? '\t' : ',';
  Cells cells;
  while (true) {
    const std::size_t end = std::min(row.find(separator), row.size());
    cells.push_back(trimmed(row.substr(0, end)));
    if (end == row.size()) break;
    row.remove_prefix(end + 1);
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// True for a ratio of version 3, N:M.
bool is_sparsity(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_number(text.substr(0, colon)) &&
         is_number(text.substr(colon + 1));
}

/// True for a name, M, N, K and perhaps a sparsity.
bool is_gemm_row(const Cells& cells) {
  const std::size_t known = kGemmColumns.size();
  return cells.size() >= known &&
         std::all_of(cells.begin() + 1, cells.begin() + known, is_number) &&
         (cells.size() == known || (cells.size() == known + 1 && is_sparsity(cells.back())));
}

bool contains_word(std::string_view header, std::string_view word) {
  std::string text(header);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text.find(word) != std::string::npos;
}

bool names_stride(std::string_view header) {
  return contains_word(header, "stride");
}

/// True for names such as "IFMAP Height", "Filter Width" and "Num Filter".
bool names_window(std::string_view header) {
  return contains_word(header, "ifmap") || contains_word(header, "filter");
}

std::uint64_t positions(std::uint64_t input, std::uint64_t filter, std::uint64_t stride) {
  return (input - filter + stride + stride - 1) / stride;
}

/// Elements of a side that some window covers.
std::uint64_t covered(std::uint64_t input, std::uint64_t filter, std::uint64_t stride) {
  const std::uint64_t windows = positions(input, filter, stride);
  if (stride <= filter) return std::min(input, (windows - 1) * stride + filter);
  const std::uint64_t last = (windows - 1) * stride;  // the last window may hang over
  return (windows - 1) * filter + std::min(filter, last < input ? input - last : 0);
}

class Reader {
 public:
  Reader(const std::string& file, TopologyKind kind) : text_(read_text_file(file, kTopologyFile)) {
    topology_.file = file;
    topology_.kind = kind;
  }

  ScaleSimTopology read() {
    const std::vector<std::string_view> lines = lines_of(text_);
    read_header(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) read_row(cells_of(lines[i]), i);
    if (topology_.layers.empty()) {
      throw InputError(
          fmt::format("{}: has no layer after its first line, the header", topology_.file));
    }
    say_ignored();
    return std::move(topology_);
  }

 private:
  std::string place(std::size_t line) const { return place_of(topology_.file, line); }

  std::span<const std::string_view> columns() const {
    return topology_.kind == TopologyKind::kGemm ? std::span<const std::string_view>(kGemmColumns)
                                                 : std::span<const std::string_view>(kConvColumns);
  }

  void read_header(std::string_view line) {
    for (const std::string_view cell : cells_of(line)) header_.emplace_back(cell);
    topology_.header_is_layer =
        header_.size() >= columns().size() &&
        std::all_of(header_.begin() + 1, header_.begin() + static_cast<long>(columns().size()),
                    [](const std::string& cell) { return is_number(cell); });
    topology_.header_is_conv = topology_.kind == TopologyKind::kGemm && header_.size() > 1 &&
                               std::any_of(header_.begin() + 1, header_.end(), names_window);
  }

  void read_row(const Cells& cells, std::size_t line) {
    if (cells.empty()) return;
    if (cells.size() == 1) return add_title(cells.front(), line);
    if (cells.size() < columns().size()) refuse_short_row(cells, line);
    topology_.kind == TopologyKind::kGemm ? add_gemm(cells, line) : add_conv(cells, line);
  }

  /// A row of one cell, unless that is a layer whose cells something else separates.
  void add_title(std::string_view cell, std::size_t line) {
    const auto separators = static_cast<std::size_t>(std::ranges::count(cell, ';'));
    if (separators + 1 >= columns().size()) {
      throw InputError(
          fmt::format("{}: separates its columns by ';'; put commas in their place", place(line)));
    }
    ++titles_;
  }

  [[noreturn]] void refuse_short_row(const Cells& cells, std::size_t line) const {
    const bool gemm = topology_.kind == TopologyKind::kGemm;
    throw InputError(fmt::format(
        "{}: has {}, but {} needs {}: {}{}", place(line), counted(cells.size(), "column"),
        gemm ? "a product" : "a convolution", columns().size(), fmt::join(columns(), ", "),
        !gemm && is_gemm_row(cells) ? "; or give -i gemm, if they are the name, M, N, K" : ""));
  }

  std::uint64_t number(const Cells& cells, std::size_t column, std::size_t line,
                       std::uint64_t most) const {
    if (is_number(cells[column])) {
      return parse_number(cells[column], fmt::format("{}: {}", place(line), columns()[column]), 1,
                          most);
    }
    throw InputError(fmt::format("{}: {} (column {}) = {}: must be a whole number", place(line),
                                 columns()[column], column + 1, printable(cells[column])));
  }

  void add_gemm(const Cells& cells, std::size_t line) {
    ScaleSimLayer layer;
    layer.name = cells[0];
    layer.line = line;
    layer.ifmap_height = number(cells, 1, line, kMostSize);
    layer.filters = number(cells, 2, line, kMostSize);
    layer.ifmap_width = layer.filter_width = number(cells, 3, line, kMostSize);
    note_extra(cells, columns().size());
    add(std::move(layer));
  }

  void add_conv(const Cells& cells, std::size_t line) {
    ScaleSimLayer layer;
    const auto at = [&](std::size_t column) { return number(cells, column, line, kMostExtent); };
    layer.name = cells[0];
    layer.line = line;
    layer.ifmap_height = at(1);
    layer.ifmap_width = at(2);
    layer.filter_height = at(3);
    layer.filter_width = at(4);
    layer.channels = at(5);
    layer.filters = at(6);
    layer.stride_height = layer.stride_width = at(7);
    std::size_t known = columns().size();
    if (cells.size() > known && is_number(cells[known]) && strides_follow()) {
      layer.stride_width = parse_number(
          cells[known], fmt::format("{}: the stride along the width", place(line)), 1, kMostExtent);
      ++known;
    }
    note_extra(cells, known);
    check_window(layer);
    if (layer.name.find("DP") != std::string::npos) {
      layer.depthwise = true;
      layer.copies = std::exchange(layer.channels, 1);
    }
    add(std::move(layer));
  }

  /// True if the column after the stride is a second one, as in version 2. A header with another
  /// name for it says otherwise.
  bool strides_follow() const {
    const std::size_t column = kConvColumns.size();
    return header_.size() <= column || header_[column].empty() || names_stride(header_[column]);
  }

  void check_window(const ScaleSimLayer& layer) const {
    const auto check = [&](std::string_view side, std::uint64_t filter, std::uint64_t input) {
      if (filter <= input) return;
      throw InputError(fmt::format("{}: the filter {} {} is larger than the ifmap {} {}",
                                   place(layer.line), side, filter, side, input));
    };
    check("height", layer.filter_height, layer.ifmap_height);
    check("width", layer.filter_width, layer.ifmap_width);
  }

  void note_extra(const Cells& cells, std::size_t known) {
    for (std::size_t column = known; column < cells.size(); ++column) {
      if (cells[column].empty()) continue;
      if (is_sparsity(cells[column])) {
        ++sparse_;
      } else {
        const bool named =
            !topology_.header_is_layer && column < header_.size() && !header_[column].empty();
        extra_.try_emplace(column,
                           named ? printable(header_[column]) : fmt::format("{}", column + 1));
      }
    }
  }

  void add(ScaleSimLayer layer) {
    const auto size = [&](char name, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
      std::uint64_t product = 0;
      if (!__builtin_mul_overflow(a, b, &product) &&
          !__builtin_mul_overflow(product, c, &product) && product <= kMostSize) {
        return;
      }
      throw InputError(fmt::format("{}: {} of the layer's product exceeds 2^40; use smaller sizes",
                                   place(layer.line), name));
    };
    size('M', layer.ofmap_height(), layer.ofmap_width(), 1);
    size('K', layer.filter_height, layer.filter_width, layer.channels);
    layers_ += layer.copies;
    if (layers_ > kMostLayers) {
      throw InputError(fmt::format("{}: with this row there are more than {} layers",
                                   place(layer.line), grouped(kMostLayers)));
    }
    topology_.layers.push_back(std::move(layer));
  }

  void say_ignored() {
    if (titles_ > 0) topology_.ignored.push_back(counted(titles_, "row") + " with a title only");
    if (sparse_ > 0) {
      topology_.ignored.push_back(
          fmt::format("the sparsity of {}: all are dense", counted(sparse_, "layer")));
    }
    if (!extra_.empty()) topology_.ignored.push_back(extra_text());
  }

  /// "columns 9, 10 and 3 more".
  std::string extra_text() const {
    std::vector<std::string> names;
    for (const auto& [column, name] : extra_) {
      if (names.size() == kShownColumns) break;
      names.push_back(name);
    }
    const std::size_t more = extra_.size() - names.size();
    return fmt::format("column{} {}{}", extra_.size() == 1 ? "" : "s", fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", grouped(more)));
  }

  const std::string text_;
  ScaleSimTopology topology_;
  std::vector<std::string> header_;
  std::uint64_t layers_ = 0;  // with all copies
  std::uint64_t titles_ = 0;
  std::uint64_t sparse_ = 0;
  std::map<std::size_t, std::string> extra_;  // names of columns that mean nothing here
};

}  // namespace

std::uint64_t ScaleSimLayer::ofmap_height() const {
  return positions(ifmap_height, filter_height, stride_height);
}

std::uint64_t ScaleSimLayer::ofmap_width() const {
  return positions(ifmap_width, filter_width, stride_width);
}

std::uint64_t ScaleSimLayer::ifmap_words() const {
  std::uint64_t words = 0;
  const std::uint64_t area = covered(ifmap_height, filter_height, stride_height) *
                             covered(ifmap_width, filter_width, stride_width);
  const bool fits = !__builtin_mul_overflow(area, channels, &words);
  return fits ? words : std::numeric_limits<std::uint64_t>::max();
}

ScaleSimTopology read_scalesim_topology(const std::string& file, TopologyKind kind) {
  return Reader(file, kind).read();
}

}  // namespace weft::imports
