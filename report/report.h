// The report of one run, gathered before anything is written: JSON for programs, a short summary
// for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "report/text.h"
#include "runtime/product_check.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::report {

struct RunReport {
  std::string command;
  Engine engine = Engine::kFast;
  MachineConfig machine;
  std::optional<MatmulSpec> workload;  // nullopt: the program does not say what it computes
  std::optional<TilingPlan> plan;      // nullopt: the compiler did not make the program
  Result result;
  runtime::CheckReport check;
  double wall_seconds = 0;         // of the simulation alone
  std::vector<std::string> notes;  // what the host did in addition to the machine
};

inline double as_real(std::uint64_t value) {
  return static_cast<double>(value);
}

/// Seconds of the run on the machine's clock.
double simulated_seconds(const RunReport& report);
/// Useful MACs divided by the MACs that the array could have done; nullopt without a workload.
std::optional<double> utilization(const RunReport& report);
/// 10^12 useful operations per second, with two operations per MAC; nullopt without a workload.
std::optional<double> tops(const RunReport& report);

/// The machine's keys with their values as numbers and strings.
nlohmann::ordered_json machine_json(const MachineConfig& config);
/// The same with `title`, the machine's name for people, and `modified`: each key in which the
/// machine differs from the preset of its name, with the preset's value.
nlohmann::ordered_json described_machine_json(const MachineConfig& config);
/// Reads back what machine_json() wrote. Throws InputError for a missing key, ConfigError for a
/// value out of range.
MachineConfig machine_of(const nlohmann::ordered_json& json);
/// ledger_json() has the cycles of each class, traffic_json() the bytes of each kind of transfer.
nlohmann::ordered_json ledger_json(const CycleLedger& ledger);
nlohmann::ordered_json traffic_json(const Traffic& traffic);
/// Wall time, simulated cycles per second, and the number of cycles that lock-step checking
/// compared.
nlohmann::ordered_json simulator_json(double wall_seconds, Cycle cycles,
                                      std::uint64_t compared_cycles);
nlohmann::ordered_json plan_json(const TilingPlan& plan);
/// The stable form, schema 1; docs/json.md explains each key. Missing parts are null.
nlohmann::ordered_json report_json(const RunReport& report);

/// A few aligned lines.
std::string report_text(const RunReport& report, const Style& style);

/// One line for each class that is not zero, indented by eleven columns.
std::string ledger_text(const CycleLedger& ledger);
/// "67,285 = 96.1 us at 700 MHz".
std::string cycles_line(Cycle cycles, const MachineConfig& config);
/// "weights 2.10 MB, input 2.05 MB, output 4.10 MB".
std::string traffic_line(const Traffic& traffic);
/// "fast engine, 30.0 ms, 2.25 Mcycles/s"; without the rate if there were no cycles.
std::string simulator_line(Engine engine, double wall_seconds, Cycle cycles);
/// The number of cycles that lock-step checking compared. It stops a run at the first difference.
std::string lockstep_line(std::uint64_t cycles, const Style& style);
/// A line of the summary: the label in bold, eleven columns wide, then the value.
std::string labelled_line(std::string_view label, const std::string& value, const Style& style);
/// "R x C int8, 700 MHz" and the like.
std::string machine_line(const MachineConfig& config);
/// The labelled lines of a report: the machine, and what was modified in it, if anything was.
std::string machine_text(const MachineConfig& config, const Style& style);
/// The same as the heading of `explain`, without labels.
std::string machine_heading(const MachineConfig& config, const Style& style);
/// "array.rows 64 (tpu-v2: 128)" for each key that differs from the preset, several to a line.
std::vector<std::string> modified_lines(const MachineConfig& config);
/// "8 x 8 tiles, 64 folds, 1 chunk of 1000 rows, 4.6 % padding".
std::string plan_line(const TilingPlan& plan);
/// "64,382 = load 128 + steps 63,000 + last fold 1,254".
std::string formula_line(const TilingPlan& plan);

}  // namespace weft::report
