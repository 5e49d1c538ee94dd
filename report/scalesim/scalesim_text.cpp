#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.h"
#include "report/machine_text.h"
#include "report/scalesim/scalesim_report.h"

namespace weft::report {
namespace {

using runtime::ScaleSimLayerRun;

constexpr const char* kLegend =
    "used: % of the array's MACs that are useful; mapped: % of the PEs that a fold uses, on "
    "average";

/// One note for each reason, in the order of the layers.
class Notes {
 public:
  std::string mark(const ScaleSimLayerRun& layer) {
    std::string marks;
    if (layer.depthwise) marks += add(kDepthwise);
    if (!layer.by_law.empty()) marks += add("by the law, not on the machine: " + layer.by_law);
    return marks;
  }
  std::string text() const {
    std::string lines;
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      lines += fmt::format("[{}] {}\n", i + 1, notes_[i]);
    }
    return lines;
  }

 private:
  static constexpr const char* kDepthwise =
      "depthwise: sizes are those of one channel; folds, cycles and stalls count all channels";

  std::string add(const std::string& note) {
    const auto found = std::ranges::find(notes_, note);
    const auto index = found - notes_.begin();
    if (found == notes_.end()) notes_.push_back(note);
    return fmt::format("[{}]", index + 1);
  }

  std::vector<std::string> notes_;
};

std::string size_text(const MatmulSpec& product) {
  return fmt::format("{} x {} x {}", product.m, product.k, product.n);
}

/// "1.20x": how many times as long the serial folds take.
std::string ratio_text(std::uint64_t serial, std::uint64_t better) {
  return fmt::format("{:.2f}x", static_cast<double>(serial) / static_cast<double>(better));
}

/// The name in printable ASCII, without the quotes of messages.
std::string shown_name(const std::string& name) {
  const std::string quoted = printable(name);
  return quoted.substr(1, quoted.size() - 2);
}

std::string layer_table(const ScaleSimReport& report, Notes& notes, const Style& style) {
  const bool stalls = report.run.config.bandwidth.has_value();
  const bool better = report.run.layers.front().better.has_value();
  std::vector<std::string> head = {"layer", "M x K x N", "folds", "cycles"};
  if (stalls) head.emplace_back("stalls");
  head.insert(head.end(), {"used", "mapped"});
  if (better) head.insert(head.end(), {"better", "serial"});
  head.emplace_back("");
  Table table("l" + std::string(head.size() - 2, 'r') + "l");
  table.add(head);
  for (const ScaleSimLayerRun& layer : report.run.layers) {
    const auto figures = scalesim_figures(layer, report.run.config, report.as_printed);
    const std::uint64_t copies = layer.copies;
    std::string name = shown_name(layer.name);
    if (layer.depthwise) name += fmt::format(" x {}", copies);
    std::vector<std::string> row = {std::move(name), size_text(layer.product),
                                    grouped(copies * layer.law.folds),
                                    grouped(copies * figures.cycles)};
    if (stalls) row.push_back(grouped(copies * figures.stalls));
    row.push_back(percent(figures.overall_util / 100));
    row.push_back(percent(figures.mapping_efficiency / 100));
    if (better) {
      row.push_back(grouped(copies * *layer.better));
      row.push_back(ratio_text(layer.cycles, *layer.better));
    }
    row.push_back(notes.mark(layer));
    table.add(std::move(row));
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first);
}

std::string topology_line(const ScaleSimReport& report, const ScaleSimTotals& totals) {
  std::string line =
      fmt::format("{}, {}, {}", shown_name(report.run.topology.file),
                  counted(totals.layers, "layer"), si(static_cast<double>(totals.macs), "MACs"));
  if (totals.layers_by_law > 0) {
    line +=
        fmt::format("; {} on the machine, {} by the law",
                    grouped(totals.layers - totals.layers_by_law), grouped(totals.layers_by_law));
  }
  return line;
}

/// What a fold does, and the law of its cycles.
std::string folds_line(const imports::ScaleSimConfig& config) {
  switch (config.dataflow) {
    case imports::Dataflow::kWeightStationary:
      return "ws, serial: load R rows of weights, stream M rows, drain: 2R + C + M - 2 cycles each";
    case imports::Dataflow::kInputStationary:
      return "is, serial: load R rows of inputs, stream N rows, drain: 2R + C + N - 2 cycles each";
    case imports::Dataflow::kOutputStationary:
      return "os, serial: stream K steps, drain: K + R + C - 2 cycles each";
  }
  return "";
}

std::string cycles_text(const ScaleSimReport& report, const ScaleSimTotals& totals) {
  const double units = static_cast<double>(report.run.config.rows) * report.run.config.cols;
  std::string line = fmt::format(
      "{}, {} of the array used", grouped(totals.cycles),
      percent(static_cast<double>(totals.macs) / (static_cast<double>(totals.cycles) * units)));
  if (report.as_printed) line += "; as SCALE-Sim prints them, one less a layer";
  return line;
}

std::string stalls_line(const ScaleSimReport& report, const ScaleSimTotals& totals) {
  std::string line =
      fmt::format("{}, {} of the cycles, at {} a cycle on either channel", grouped(totals.stalls),
                  percent(static_cast<double>(totals.stalls) / static_cast<double>(totals.cycles)),
                  counted(*report.run.config.bandwidth, "word"));
  if (totals.layers_by_law > 0) line += "; none is known for layers by the law";
  return line;
}

std::string better_line(const ScaleSimTotals& totals) {
  const std::uint64_t serial = totals.cycles;
  const std::string mapper =
      fmt::format("{} with double-buffered weights and Weft's mapper", grouped(*totals.better));
  if (serial <= *totals.better) return mapper;
  const std::uint64_t cost = serial - *totals.better;
  return fmt::format("{}; the serial folds cost {} cycles, {}", mapper, grouped(cost),
                     percent(static_cast<double>(cost) / static_cast<double>(serial)));
}

/// What of both files has no effect; empty if all of it has.
std::string ignored_line(const runtime::ScaleSimRun& run) {
  std::vector<std::string> parts;
  const auto add = [&](const char* where, const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (const std::string& name : names) shown.push_back(shown_name(name));
    if (!shown.empty()) parts.push_back(fmt::format("{}: {}", where, fmt::join(shown, ", ")));
  };
  add("configuration", run.config.ignored);
  add("topology", run.topology.ignored);
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string scalesim_text(const ScaleSimReport& report, const Style& style) {
  const ScaleSimTotals totals = scalesim_totals(report);
  Notes notes;
  std::string text = labeled_line("machine", machine_line(report.run.machine), style);
  text += labeled_line("topology", topology_line(report, totals), style);
  text += labeled_line("folds", folds_line(report.run.config), style);
  text += '\n' + layer_table(report, notes, style);
  text += style.dim(kLegend) + '\n' + notes.text() + '\n';
  text += labeled_line("cycles", cycles_text(report, totals), style);
  if (report.run.config.bandwidth) {
    text += labeled_line("stalls", stalls_line(report, totals), style);
  }
  if (totals.better) text += labeled_line("better", better_line(totals), style);
  const std::string ignored = ignored_line(report.run);
  if (!ignored.empty()) text += labeled_line("ignored", ignored, style);
  return text + labeled_line("simulator", si(report.run.wall_seconds, "s"), style);
}

}  // namespace weft::report
