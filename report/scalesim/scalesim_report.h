// Runs of SCALE-Sim's topologies: as text, as JSON, and as SCALE-Sim's own reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/json.h"
#include "report/text.h"
#include "runtime/scalesim/layer_runs.h"

namespace weft::report {

struct ScaleSimReport {
  runtime::ScaleSimRun run;
  /// As SCALE-Sim prints them: one cycle less a layer, the Compute Util of longer folds
  /// (runtime/scalesim/serial_law.h), and with os R + C more writes of outputs a fold.
  bool as_printed = false;
};

/// Columns of COMPUTE_REPORT.csv and BANDWIDTH_REPORT.csv for one layer.
struct ScaleSimFigures {
  std::uint64_t with_transfers = 0;
  std::uint64_t cycles = 0;
  std::uint64_t stalls = 0;
  double overall_util = 0;  // percent, as the two below
  double mapping_efficiency = 0;
  double compute_util = 0;
  runtime::OperandWords sram;
  double sram_ifmap = 0;  // words a cycle, as those below
  double sram_filter = 0;
  double sram_ofmap = 0;
  double dram_ifmap = 0;
  double dram_filter = 0;
  double dram_ofmap = 0;
};

ScaleSimFigures scalesim_figures(const runtime::ScaleSimLayerRun& layer,
                                 const imports::ScaleSimConfig& config, bool as_printed);

/// Sums over all layers, each depthwise one counted once for each channel.
struct ScaleSimTotals {
  std::uint64_t layers = 0;
  std::uint64_t layers_by_law = 0;  // of them not on the machine
  std::uint64_t macs = 0;
  std::uint64_t cycles = 0;  // as they are reported
  std::uint64_t stalls = 0;
  std::optional<runtime::BetterRun> better = {};  // without `serial` if a layer has none
};

/// Throws InputError if a sum exceeds 64 bits.
ScaleSimTotals scalesim_totals(const ScaleSimReport& report);

/// The files' texts: the columns of version 3, one row for each layer, each ending with a comma.
std::string compute_report_csv(const ScaleSimReport& report);
std::string bandwidth_report_csv(const ScaleSimReport& report);

Json scalesim_json(const ScaleSimReport& report);
std::string scalesim_text(const ScaleSimReport& report, const Style& style);

}  // namespace weft::report
