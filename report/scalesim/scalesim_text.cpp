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
constexpr const char* kBetterLegend =
    "cycles: the array's span alone; serial run, better run: from the first load to the last "
    "store, in serial folds and with double-buffered weights and Weft's mapper; gain: serial run / "
    "better run";

constexpr const char* kHeaderIsLayer =
    "line 1 of the topology looks like a layer, but is taken as the header; write a header above "
    "it";

constexpr const char* kHeaderIsConv =
    "the header is that of convolutions; -i gemm takes its columns as M, N, K";

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
std::string ratio_text(const runtime::BetterRun& better) {
  if (!better.serial) return "-";
  return fmt::format("{:.2f}x",
                     static_cast<double>(*better.serial) / static_cast<double>(better.cycles));
}

/// The name as messages show it, without their quotes.
std::string shown_name(const std::string& name) {
  const std::string quoted = printable(name);
  return quoted.substr(1, quoted.size() - 2);
}

void add_better(std::vector<std::string>& row, const ScaleSimLayerRun& layer) {
  const runtime::BetterRun& better = *layer.better;
  row.push_back(better.serial ? grouped(layer.copies * *better.serial) : "-");
  row.push_back(grouped(layer.copies * better.cycles));
  row.push_back(ratio_text(better));
}

std::string layer_table(const ScaleSimReport& report, Notes& notes, const Style& style) {
  const bool stalls = report.run.config.bandwidth.has_value();
  const bool better = report.run.layers.front().better.has_value();
  std::vector<std::string> head = {"layer", "M x K x N", "folds", "cycles"};
  if (stalls) head.emplace_back("stalls");
  head.insert(head.end(), {"used", "mapped"});
  if (better) head.insert(head.end(), {"serial run", "better run", "gain"});
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
    if (better) add_better(row, layer);
    row.push_back(notes.mark(layer));
    table.add(std::move(row));
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first);
}

std::string topology_line(const ScaleSimReport& report, const ScaleSimTotals& totals) {
  std::string line =
      fmt::format("{}, {}, {}", report.run.topology.file, counted(totals.layers, "layer"),
                  si(static_cast<double>(totals.macs), "MACs"));
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

/// What the columns of --better are, and what they do not compare.
std::string better_legend(const runtime::ScaleSimRun& run) {
  std::string legend = kBetterLegend;
  const auto unknown = [](const ScaleSimLayerRun& layer) { return !layer.better->serial; };
  if (std::ranges::any_of(run.layers, unknown)) legend += "; -: only the law knows serial folds";
  legend += '\n';
  if (run.config.dataflow == imports::Dataflow::kWeightStationary) return legend;
  const std::string_view dataflow = imports::to_string(run.config.dataflow);
  return legend + fmt::format(
                      "both runs keep weights (ws); the column cycles is the array's span "
                      "with {}, another dataflow, so do not divide one by the other\n",
                      dataflow);
}

std::string better_line(const runtime::BetterRun& better) {
  std::string line = fmt::format(
      "{} from the first load to the last store, with double-buffered weights and Weft's mapper",
      counted(better.cycles, "cycle"));
  if (!better.serial) return line;
  return line + fmt::format("; the serial folds take {}, {} as long", grouped(*better.serial),
                            ratio_text(better));
}

/// What of both files has no effect; empty if all of it has.
std::string ignored_line(const runtime::ScaleSimRun& run) {
  std::vector<std::string> parts;
  std::vector<std::string> keys;
  for (const std::string& key : run.config.ignored) keys.push_back(shown_name(key));
  const auto add = [&](const char* where, const std::vector<std::string>& texts) {
    if (!texts.empty()) parts.push_back(fmt::format("{}: {}", where, fmt::join(texts, ", ")));
  };
  add("configuration", keys);
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
  text += style.dim(kLegend) + '\n';
  if (totals.better) text += style.dim(better_legend(report.run));
  text += notes.text() + '\n';
  text += labeled_line("cycles", cycles_text(report, totals), style);
  if (report.run.config.bandwidth) {
    text += labeled_line("stalls", stalls_line(report, totals), style);
  }
  if (totals.better) text += labeled_line("better", better_line(*totals.better), style);
  if (report.run.topology.header_is_layer) text += labeled_line("header", kHeaderIsLayer, style);
  if (report.run.topology.header_is_conv) text += labeled_line("note", kHeaderIsConv, style);
  const std::string ignored = ignored_line(report.run);
  if (!ignored.empty()) text += labeled_line("ignored", ignored, style);
  return text + labeled_line("simulator", si(report.run.wall_seconds, "s"), style);
}

}  // namespace weft::report
