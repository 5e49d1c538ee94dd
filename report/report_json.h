// The report as JSON, schema 1; docs/json.md explains each key. Missing parts are null.
#pragma once

#include <optional>

#include "report/json.h"
#include "report/report.h"

namespace weft::report {

Json report_json(const RunReport& report);
/// The report of a network that the CPU reference alone ran, in `wall_seconds`.
Json reference_report_json(const RunReport& report);

/// The bound of a run of `cycles`; null if there is none.
Json bound_json(const std::optional<compiler::Bound>& bound, Cycle cycles);

/// One entry of `layers`.
Json layer_json(const runtime::LayerRun& layer, const MachineConfig& config);

/// The product that was run; null if the program does not say. Or the network, its inputs and its
/// size.
Json workload_json(const RunReport& report);

}  // namespace weft::report
