#include "report/network_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/printable.h"
#include "models/networks/count.h"
#include "report/report.h"

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

double padding_waste(const network::LayerInfo& info) {
  return 1 - as_real(info.macs) / as_real(info.issued_macs);
}

std::string tiles_text(const network::LayerInfo& info) {
  return fmt::format("{}x{}x{}", info.k_tiles, info.n_tiles, info.chunks);
}

/// The table of layers, and the notes that its last column counts.
class LayerTable {
 public:
  explicit LayerTable(const NetworkReport& report) : report_(report) {
    for (std::size_t i = 0; i < kLedgerClasses.size(); ++i) {
      const auto matters = [i](const runtime::LayerRun& layer) {
        return share_of(layer, i) >= kLeastShare;
      };
      if (std::ranges::any_of(report.run.layers, matters)) classes_.push_back(i);
    }
  }

  std::string text(const Style& style) {
    Table table("lllllrr" + std::string(classes_.size(), 'r') + "rl");
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
    row.insert(row.end(), {"used", ""});
    return row;
  }

  std::vector<std::string> row(const runtime::LayerRun& layer) {
    constexpr std::size_t kNameWidth = 18;
    constexpr std::size_t kOperatorWidth = 14;
    const network::LayerInfo& info = layer.info;
    const bool on_array = info.issued_macs > 0;
    std::vector<std::string> cells = {shortened(info.name, kNameWidth),
                                      shortened(info.op, kOperatorWidth),
                                      graph::to_string(info.result.shape),
                                      std::string(place_of(layer)),
                                      on_array ? tiles_text(info) : "",
                                      on_array ? share_cell(padding_waste(info)) : "",
                                      layer.on_host ? "" : grouped(number_of(layer.cycles))};
    for (const std::size_t i : classes_) cells.push_back(share_cell(share_of(layer, i)));
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

  const NetworkReport& report_;
  std::vector<std::size_t> classes_;  // those with a column
  std::vector<std::string> notes_;
};

std::string workload_line(const NetworkReport& report) {
  std::string line = network_line(report.network, report.batch, report.parameters, report.macs);
  if (report.run.useful_macs != report.macs) {
    line += fmt::format(", {} on the machine", si(as_real(report.run.useful_macs), "MACs"));
  }
  return line;
}

std::string work_line(const NetworkReport& report) {
  const std::size_t on_host = host_layers(report);
  std::string line = fmt::format("{} in {}, {}", counted(report.run.instructions, "instruction"),
                                 counted(report.run.programs, "program"),
                                 counted(report.run.layers.size(), "layer"));
  if (on_host > 0) {
    line += fmt::format("; {} on the host, {}", grouped(on_host),
                        report.host_time ? "whose transfers are simulated"
                                         : "whose time is not simulated, only its transfers");
  }
  return line;
}

std::string speed_line(const NetworkReport& report) {
  const double peak = 2 * as_real(report.machine.array_rows) * as_real(report.machine.array_cols) *
                      as_real(report.machine.clock_hz);
  const double speed = 2 * as_real(report.run.useful_macs) / simulated_seconds(report);
  const auto used = utilization(report.machine, report.run.useful_macs, report.run.total);
  return fmt::format("{} of {} peak, {} of the array used", si(speed, "OP/s"), si(peak, "OP/s"),
                     percent(used.value_or(0)));
}

/// Names the layer with the largest error and the one whose error is the largest part of its bound.
std::string check_line(const NetworkReport& report, const Style& style) {
  if (!report.check) return style.dim("none");
  const runtime::NetworkCheck& check = *report.check;
  if (check.mismatch) return style.bad("MISMATCH: " + *check.mismatch);
  if (check.layers.empty()) {
    return style.dim(report.run.programs == 0 ? "nothing to compare: cpu computed everything"
                                              : "no layer left a result to compare");
  }
  const std::string layers = counted(check.layers.size(), "layer");
  if (check.bit_exact) return style.good(layers + " equal to cpu, bit for bit");
  const runtime::LayerCheck& wrong =
      *std::ranges::max_element(check.layers, {}, &runtime::LayerCheck::max_abs_error);
  const runtime::LayerCheck& close =
      *std::ranges::max_element(check.layers, {}, &runtime::LayerCheck::share);
  return style.good(
      fmt::format("{} equal to cpu within rounding, largest error {:.2g} in {}; {} is closest to "
                  "its bound, at {}",
                  layers, wrong.max_abs_error, printable(wrong.layer), printable(close.layer),
                  percent(close.share)));
}

/// "9 x 4 tiles along K and N, 13 chunks of rows, 36 fetches, 4.6 % padding".
std::string layer_plan_line(const network::LayerInfo& info) {
  return fmt::format("{} x {} tiles along K and N, {} of rows, {}, {} padding", info.k_tiles,
                     info.n_tiles, counted(info.chunks, "chunk"),
                     counted(info.fetches, "tile fetch"), percent(padding_waste(info)));
}

/// The cycles, and the lines that depend on them.
std::string machine_lines(const NetworkReport& report, const Style& style) {
  const runtime::NetworkRun& run = report.run;
  std::string text = labelled_line("cycles", cycles_line(run.total, report.machine), style);
  text += ledger_text(run.ledger);
  text += labelled_line("work", work_line(report), style);
  if (run.total > 0) {
    text += labelled_line("speed", speed_line(report), style);
    text += labelled_line("throughput", throughput_line(report), style);
  }
  return text + labelled_line("traffic", traffic_line(run.traffic), style);
}

/// Replaces machine_lines() if no program ran.
std::string nothing_ran_line(const runtime::NetworkRun& run) {
  if (run.layers.empty())
    return "none: nothing is left to compute; outputs are inputs or constants";
  return fmt::format(
      "none: nothing ran on the machine; the host computed {}, in time that is not simulated",
      run.layers.size() == 1 ? "the layer" : counted(run.layers.size(), "layer"));
}

}  // namespace

std::string_view place_of(const runtime::LayerRun& layer) {
  if (layer.on_host) return "host";
  return layer.info.issued_macs > 0 ? "array" : "vector";
}

std::vector<std::string> notes_of(const runtime::LayerRun& layer) {
  std::vector<std::string> notes;
  if (!layer.info.note.empty()) {
    notes.push_back(layer.on_host ? "on the host: " + layer.info.note : layer.info.note);
  }
  for (const network::Spill& spill : layer.info.spilled) {
    notes.push_back(spill_text(spill) + " does not stay in the unified buffer");
  }
  return notes;
}

double simulated_seconds(const NetworkReport& report) {
  return static_cast<double>(report.run.total) / as_real(report.machine.clock_hz);
}

std::optional<double> utilization(const MachineConfig& config, std::uint64_t useful_macs,
                                  Cycle cycles) {
  if (cycles == 0) return std::nullopt;
  return as_real(useful_macs) /
         (static_cast<double>(cycles) * as_real(config.array_rows) * as_real(config.array_cols));
}

double worst_share(const runtime::NetworkCheck& check) {
  double worst = 0;
  for (const runtime::LayerCheck& layer : check.layers) worst = std::max(worst, layer.share);
  return worst;
}

NetworkReport describe_network(std::string command, std::string network, std::int64_t batch,
                               const graph::Graph& graph) {
  NetworkReport report;
  report.command = std::move(command);
  report.network = std::move(network);
  report.batch = batch;
  for (const graph::ValueId input : graph.inputs) report.inputs.push_back(graph.values[input]);
  report.parameters = networks::count_parameters(graph);
  report.macs = networks::count_macs(graph);
  return report;
}

std::string spill_text(const network::Spill& spill) {
  return fmt::format("{} {} x {} ({})", spill.is_input ? "input" : "result", spill.size.rows,
                     spill.size.channels, si(as_real(spill.bytes), "B"));
}

std::string network_line(std::string_view network, std::int64_t batch, std::uint64_t parameters,
                         std::uint64_t macs) {
  return fmt::format("{}, batch {}, {}, {}", network, batch, counted(parameters, "parameter"),
                     si(as_real(macs), "MACs"));
}

std::string network_report_text(const NetworkReport& report, const Style& style) {
  const runtime::NetworkRun& run = report.run;
  std::string text;
  const auto add = [&](std::string_view label, const std::string& value) {
    text += labelled_line(label, value, style);
  };
  text += machine_text(report.machine, style);
  add("network", workload_line(report));
  text += '\n' + LayerTable(report).text(style) + '\n';
  if (run.layers.size() == 1 && run.layers.front().info.issued_macs > 0) {
    add("plan", layer_plan_line(run.layers.front().info));
  }
  if (run.programs > 0) {
    text += machine_lines(report, style);
  } else {
    add("cycles", nothing_ran_line(run));
  }
  for (const std::string& note : report.notes) add("note", note);
  for (const OutputSummary& output : report.outputs) add("output", output_line(output));
  add("check", check_line(report, style));
  if (run.compared_cycles > 0) add("lock-step", lockstep_line(run.compared_cycles, style));
  add("simulator", simulator_line(report.engine, report.wall_seconds, run.total));
  return text;
}

}  // namespace weft::report
