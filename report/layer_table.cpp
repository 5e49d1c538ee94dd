#include "report/layer_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "report/machine_text.h"

namespace weft::report {
namespace {

/// Column names of the ledger's classes, in the order of kLedgerClasses.
constexpr std::array<std::string_view, kLedgerClasses.size()> kClassColumns = {
    "act", "shift", "wght", "inp", "raw", "drain", "vec", "out", "idle"};

/// Shortens a text to `width` characters by leaving out its middle.
std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t front = (width - 2 + 1) / 2;
  return text.substr(0, front) + ".." + text.substr(text.size() - (width - 2 - front));
}

/// A share in whole percent; empty for exactly 0.
std::string share_cell(double share) {
  return share == 0 ? "" : whole_percent(share);
}

/// The share of one class in the layer's cycles.
double share_of(const runtime::LayerRun& layer, std::size_t index) {
  if (layer.cycles == 0) return 0;
  const Cycle cycles = layer.ledger.*kLedgerClasses[index].cycles;
  return static_cast<double>(cycles) / static_cast<double>(layer.cycles);
}

/// The least share of some layer's cycles for which a class gets a column.
constexpr double kLeastShare = 0.005;

/// The table of layers, and the notes that its last column counts.
class LayerTable {
 public:
  explicit LayerTable(const RunReport& report) : report_(report) {
    for (const runtime::LayerRun& layer : report.run.layers) classes_.add(layer);
  }

  std::string text(const Style& style) {
    Table table("lllllrr" + std::string(classes_.count(), 'r') + "rlrl");
    table.add(headings());
    for (const runtime::LayerRun& layer : report_.run.layers) table.add(row(layer));
    const std::string all = table.text(0);
    const std::size_t first = all.find('\n');
    std::string text = style.bold(all.substr(0, first)) + all.substr(first);
    for (const std::string& line : legend()) text += style.dim(line) + '\n';
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      text += fmt::format("[{}] {}\n", i + 1, notes_[i]);
    }
    return text;
  }

 private:
  std::vector<std::string> headings() const {
    std::vector<std::string> row = {"layer", "operator", "result", "on", "tiles", "pad", "cycles"};
    classes_.add_headings(row);
    row.insert(row.end(), {"path", "mostly", "used", ""});
    return row;
  }

  std::vector<std::string> row(const runtime::LayerRun& layer) {
    constexpr std::size_t kOperatorWidth = 14;
    const compiler::LayerInfo& info = layer.info;
    const bool on_array = info.issued_macs > 0;
    std::vector<std::string> cells = {short_layer_name(info.name),
                                      shortened(info.op, kOperatorWidth),
                                      graph::to_string(info.result.shape),
                                      std::string(place_of(layer)),
                                      tiles_cell(info),
                                      padding_cell(info),
                                      layer.on_host ? "" : grouped(number_of(layer.cycles))};
    classes_.add_cells(layer, cells);
    const Cycle path = layer.path.sum();
    cells.push_back(path > 0 ? grouped(number_of(path)) : "");
    cells.push_back(path > 0 ? largest_of(layer.path) : "");
    const auto used =
        on_array ? utilization(report_.machine, info.macs, layer.cycles) : std::optional<double>();
    cells.push_back(used ? fmt::format("{:.1f}", *used * 100) : "");
    cells.push_back(references(layer));
    return cells;
  }

  static std::uint64_t number_of(Cycle cycles) { return static_cast<std::uint64_t>(cycles); }

  /// The largest part of the layer's critical path, and its share: "host link 98".
  static std::string largest_of(const CriticalPath& path) {
    const std::size_t part = largest_part(path);
    const double share = static_cast<double>(path.cycles[part]) / static_cast<double>(path.sum());
    return fmt::format("{} {}", kPathPartNames[part].name, whole_percent(share));
  }

  /// The numbers of the layer's notes: "[1][3]".
  std::string references(const runtime::LayerRun& layer) {
    std::string all;
    for (const std::string& note : notes_of(layer)) {
      auto at = std::ranges::find(notes_, note);
      if (at == notes_.end()) at = notes_.insert(at, note);
      all += fmt::format("[{}]", at - notes_.begin() + 1);
    }
    return all;
  }

  bool any_layer_is(std::string_view place) const {
    return std::ranges::any_of(report_.run.layers, [&](const runtime::LayerRun& layer) {
      return place_of(layer) == place;
    });
  }

  /// Explains the columns that are not empty.
  std::vector<std::string> legend() const {
    std::vector<std::string> lines;
    if (any_layer_is("array")) {
      lines.emplace_back(
          "tiles: along K x along N x chunks of rows; pad: % of the issued MACs that are padding; "
          "used: % of the array's MACs");
    }
    lines.emplace_back(
        "each cycle belongs to the layer of the instruction by which it is classed, so the layers "
        "sum to the total; path: on the critical path");
    if (std::string classes = classes_.legend(); !classes.empty()) {
      lines.push_back(std::move(classes));
    }
    if (std::ranges::any_of(report_.run.layers, waits_for_weights)) {
      lines.emplace_back(
          "wght of a vector layer: the next matmul waits for its tile, because of the memory or "
          "because "
          "its fetch is dispatched after the layer");
    }
    return lines;
  }

  /// True for a vector layer during which the next matmul waits for its weight tile.
  static bool waits_for_weights(const runtime::LayerRun& layer) {
    if (place_of(layer) != "vector" || layer.cycles == 0) return false;
    const double share =
        static_cast<double>(layer.ledger.weight_stall) / static_cast<double>(layer.cycles);
    return share >= kLeastShare;
  }

  const RunReport& report_;
  LedgerColumns classes_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string short_layer_name(const std::string& name) {
  constexpr std::size_t kNameWidth = 18;
  return shortened(name, kNameWidth);
}

void LedgerColumns::add(const runtime::LayerRun& layer) {
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    shown_[i] = shown_[i] || share_of(layer, i) >= kLeastShare;
  }
}

std::size_t LedgerColumns::count() const {
  return static_cast<std::size_t>(std::ranges::count(shown_, true));
}

void LedgerColumns::add_headings(std::vector<std::string>& row) const {
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (shown_[i]) row.emplace_back(kClassColumns[i]);
  }
}

void LedgerColumns::add_cells(const runtime::LayerRun& layer, std::vector<std::string>& row) const {
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (shown_[i]) row.push_back(share_cell(share_of(layer, i)));
  }
}

std::string LedgerColumns::legend() const {
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (!shown_[i] || kClassColumns[i] == kLedgerClasses[i].name) continue;
    classes.push_back(fmt::format("{} {}", kClassColumns[i], kLedgerClasses[i].name));
  }
  return classes.empty() ? "" : fmt::format("% of cycles: {}", fmt::join(classes, ", "));
}

std::string tiles_cell(const compiler::LayerInfo& info) {
  if (info.issued_macs == 0) return "";
  return fmt::format("{}x{}x{}", info.k_tiles, info.n_tiles, info.chunks);
}

std::string padding_cell(const compiler::LayerInfo& info) {
  if (info.issued_macs == 0) return "";
  return share_cell(1 - as_real(info.macs) / as_real(info.issued_macs));
}

std::uint64_t moved_bytes(const compiler::LayerInfo& info) {
  return info.weight_bytes + info.input_bytes + info.output_bytes;
}

std::string layer_table(const RunReport& report, const Style& style) {
  return LayerTable(report).text(style);
}

}  // namespace weft::report
