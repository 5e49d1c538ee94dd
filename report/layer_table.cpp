#include "report/layer_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

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

double padding_waste(const compiler::LayerInfo& info) {
  return 1 - as_real(info.macs) / as_real(info.issued_macs);
}

std::string tiles_text(const compiler::LayerInfo& info) {
  return fmt::format("{}x{}x{}", info.k_tiles, info.n_tiles, info.chunks);
}

/// The table of layers, and the notes that its last column counts.
class LayerTable {
 public:
  explicit LayerTable(const RunReport& report) : report_(report) {
    for (std::size_t i = 0; i < kLedgerClasses.size(); ++i) {
      const auto matters = [i](const runtime::LayerRun& layer) {
        return share_of(layer, i) >= kLeastShare;
      };
      if (std::ranges::any_of(report.run.layers, matters)) classes_.push_back(i);
    }
  }

  std::string text(const Style& style) {
    Table table("lllllrr" + std::string(classes_.size(), 'r') + "rlrl");
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
  /// A class gets a column only if its share of some layer's cycles is at least this.
  static constexpr double kLeastShare = 0.005;

  std::vector<std::string> headings() const {
    std::vector<std::string> row = {"layer", "operator", "result", "on", "tiles", "pad", "cycles"};
    for (const std::size_t i : classes_) row.emplace_back(kClassColumns[i]);
    row.insert(row.end(), {"path", "mostly", "used", ""});
    return row;
  }

  std::vector<std::string> row(const runtime::LayerRun& layer) {
    constexpr std::size_t kNameWidth = 18;
    constexpr std::size_t kOperatorWidth = 14;
    const compiler::LayerInfo& info = layer.info;
    const bool on_array = info.issued_macs > 0;
    std::vector<std::string> cells = {shortened(info.name, kNameWidth),
                                      shortened(info.op, kOperatorWidth),
                                      graph::to_string(info.result.shape),
                                      std::string(place_of(layer)),
                                      on_array ? tiles_text(info) : "",
                                      on_array ? share_cell(padding_waste(info)) : "",
                                      layer.on_host ? "" : grouped(number_of(layer.cycles))};
    for (const std::size_t i : classes_) cells.push_back(share_cell(share_of(layer, i)));
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

  /// The share of one class in the layer's cycles.
  static double share_of(const runtime::LayerRun& layer, std::size_t index) {
    if (layer.cycles == 0) return 0;
    const Cycle cycles = layer.ledger.*kLedgerClasses[index].cycles;
    return static_cast<double>(cycles) / static_cast<double>(layer.cycles);
  }

  /// The largest part of the layer's critical path, and its share: "host link 98".
  static std::string largest_of(const CriticalPath& path) {
    const std::size_t part = largest_part(path);
    const double share = static_cast<double>(path.cycles[part]) / static_cast<double>(path.sum());
    return fmt::format("{} {}", kPathPartNames[part].name, whole_percent(share));
  }

  /// The numbers of the layer's notes: "[1] [3]".
  std::string references(const runtime::LayerRun& layer) {
    std::vector<std::string> all;
    for (const std::string& note : notes_of(layer)) {
      auto at = std::ranges::find(notes_, note);
      if (at == notes_.end()) at = notes_.insert(at, note);
      all.push_back(fmt::format("[{}]", at - notes_.begin() + 1));
    }
    return fmt::format("{}", fmt::join(all, " "));
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
    std::vector<std::string> classes;
    for (const std::size_t i : classes_) {
      if (kClassColumns[i] == kLedgerClasses[i].name) continue;
      classes.push_back(fmt::format("{} {}", kClassColumns[i], kLedgerClasses[i].name));
    }
    if (!classes.empty()) {
      lines.push_back(fmt::format("% of cycles: {}", fmt::join(classes, ", ")));
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
  std::vector<std::size_t> classes_;  // those with a column
  std::vector<std::string> notes_;
};

}  // namespace

std::string layer_table(const RunReport& report, const Style& style) {
  return LayerTable(report).text(style);
}

}  // namespace weft::report
