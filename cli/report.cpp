#include "cli/report.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/decimal.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

double useful_macs(const MatmulSpec& spec) {
  return as_real(spec.m) * as_real(spec.k) * as_real(spec.n);
}

double array_size(const MachineConfig& config) {
  return as_real(config.array_rows) * as_real(config.array_cols);
}

std::string clock(const MachineConfig& config) {
  return print_decimal(config.clock_hz, 6) + " MHz";
}

std::string workload_line(const RunReport& report) {
  if (!report.workload) return "program of " + counted(report.result.instructions, "instruction");
  const MatmulSpec& spec = *report.workload;
  std::string line = fmt::format("{} x {} x {}", spec.m, spec.k, spec.n);
  if (spec.bias) line += " + bias";
  if (spec.activation == Activation::kRelu) line += ", relu";
  if (spec.activation == Activation::kRelu6) line += ", relu6";
  return line;
}

std::string span_line(const RunReport& report) {
  std::string line = grouped(static_cast<std::uint64_t>(report.result.array_span));
  if (report.plan) line += "; formula " + formula_line(*report.plan);
  return line;
}

std::string speed_line(const RunReport& report) {
  const double peak = 2 * array_size(report.machine) * as_real(report.machine.clock_hz);
  const auto speed = tops(report);
  if (!speed) return "peak " + si(peak, "OP/s");
  return fmt::format("{} of {} peak, {} of the array used", si(*speed * 1e12, "OP/s"),
                     si(peak, "OP/s"), percent(*utilization(report)));
}

std::string check_line(const runtime::CheckReport& check, const Style& style) {
  if (!check.ran()) return style.dim("none");
  if (check.mismatch) {
    const runtime::Mismatch& at = *check.mismatch;
    return style.bad(fmt::format("MISMATCH with {} at [{}][{}]: expected {}, got {}",
                                 check.reference, at.row, at.col, at.expected, at.actual));
  }
  std::string line = fmt::format("equal to {}", check.reference);
  line += check.bit_exact
              ? ", bit for bit"
              : fmt::format(" within rounding, largest error {:.2g}, where {:.2g} is allowed",
                            check.max_abs_error, check.bound);
  if (check.nans > 0) {
    line += fmt::format(", NaN in {} of {} elements", grouped(check.nans), grouped(check.elements));
  }
  return style.good(line);
}

}  // namespace

std::string cycles_line(Cycle cycles, const MachineConfig& config) {
  const double seconds = static_cast<double>(cycles) / as_real(config.clock_hz);
  return fmt::format("{} = {} at {}", grouped(static_cast<std::uint64_t>(cycles)), si(seconds, "s"),
                     clock(config));
}

std::string ledger_text(const CycleLedger& ledger) {
  Table table("lrr");
  const auto total = static_cast<double>(ledger.sum());
  for (const LedgerClass& entry : kLedgerClasses) {
    const Cycle cycles = ledger.*entry.cycles;
    if (cycles == 0) continue;
    table.add({std::string(entry.name), grouped(static_cast<std::uint64_t>(cycles)),
               percent(static_cast<double>(cycles) / total)});
  }
  return table.text(11);
}

std::string traffic_line(const Traffic& traffic) {
  return fmt::format("weights {}, input {}, output {}", si(as_real(traffic.weight_bytes), "B"),
                     si(as_real(traffic.input_bytes), "B"), si(as_real(traffic.output_bytes), "B"));
}

std::string simulator_line(Engine engine, double wall_seconds, Cycle cycles) {
  std::string line = fmt::format("{} engine, {}", to_string(engine), si(wall_seconds, "s"));
  if (wall_seconds > 0 && cycles > 0)
    line += ", " + si(static_cast<double>(cycles) / wall_seconds, "cycles/s");
  return line;
}

std::string lockstep_line(std::uint64_t cycles, const Style& style) {
  return style.good(
      fmt::format("rtl equal to stepped in {}, every PE register and every accumulator write",
                  counted(cycles, "cycle")));
}

std::string labelled_line(std::string_view label, const std::string& value, const Style& style) {
  return style.bold(fmt::format("{:<11}", label)) + value + '\n';
}

double simulated_seconds(const RunReport& report) {
  return static_cast<double>(report.result.total) / as_real(report.machine.clock_hz);
}

std::optional<double> utilization(const RunReport& report) {
  if (!report.workload || report.result.total == 0) return std::nullopt;
  return useful_macs(*report.workload) /
         (static_cast<double>(report.result.total) * array_size(report.machine));
}

std::optional<double> tops(const RunReport& report) {
  if (!report.workload || report.result.total == 0) return std::nullopt;
  return 2 * useful_macs(*report.workload) / simulated_seconds(report) / 1e12;
}

std::string machine_line(const MachineConfig& config) {
  return fmt::format("{}: {} x {} {}, {}", machine_title(config), config.array_rows,
                     config.array_cols, to_string(config.dtype), clock(config));
}

std::vector<std::string> modified_lines(const MachineConfig& config) {
  constexpr std::size_t kColumns = 100;
  std::vector<std::string> lines;
  for (const ConfigChange& change : changes_from_preset(config)) {
    const std::string text =
        fmt::format("{} {} ({}: {})", change.key, change.value, config.name, change.preset);
    if (lines.empty() || lines.back().size() + text.size() > kColumns) {
      if (!lines.empty()) lines.back() += ',';
      lines.push_back(text);
    } else {
      lines.back() += ", " + text;
    }
  }
  return lines;
}

std::string machine_text(const MachineConfig& config, const Style& style) {
  std::string text = labelled_line("machine", machine_line(config), style);
  std::string_view label = "modified";
  for (const std::string& line : modified_lines(config)) {
    text += labelled_line(label, line, style);
    label = "";
  }
  return text;
}

std::string machine_heading(const MachineConfig& config, const Style& style) {
  std::string text = style.bold(machine_line(config)) + '\n';
  std::string_view label = "modified: ";
  for (const std::string& line : modified_lines(config)) {
    text += fmt::format("{:10}{}\n", label, line);
    label = "";
  }
  return text;
}

std::string plan_line(const TilingPlan& plan) {
  return fmt::format("{} x {} tiles, {}, {} of {}, {} padding", plan.k_tiles, plan.n_tiles,
                     counted(plan.folds, "fold"), counted(plan.m_chunks, "chunk"),
                     counted(plan.chunk_rows, "row"), percent(plan.padding_waste()));
}

std::string formula_line(const TilingPlan& plan) {
  return fmt::format("{} = load {} + steps {} + last fold {}", grouped(plan.formula_cycles()),
                     grouped(plan.formula.weight_load), grouped(plan.formula.steps),
                     grouped(plan.formula.last_fold));
}

std::string report_text(const RunReport& report, const Style& style) {
  std::string text;
  const auto add = [&](std::string_view label, const std::string& value) {
    text += labelled_line(label, value, style);
  };
  text += machine_text(report.machine, style);
  add(report.command, workload_line(report));
  if (report.plan) add("plan", plan_line(*report.plan));
  add("cycles", cycles_line(report.result.total, report.machine));
  text += ledger_text(report.result.ledger);
  add("array span", span_line(report));
  add("speed", speed_line(report));
  add("traffic", traffic_line(report.result.traffic));
  for (const std::string& note : report.notes) add("note", note);
  add("check", check_line(report.check, style));
  if (report.result.compared_cycles > 0) {
    add("lock-step", lockstep_line(report.result.compared_cycles, style));
  }
  add("simulator", simulator_line(report.engine, report.wall_seconds, report.result.total));
  return text;
}

}  // namespace weft::cli
