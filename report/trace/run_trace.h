// Writes the file of --trace: the command's runs as trace events (sim/trace/trace_events.h). Adds
// to each instruction what only the compiler knows about it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/mapping/tiling_plan.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft::report {

/// Writes one program. With its `plan`, each instruction shows its tile.
void write_program_trace(std::ostream& out, std::string_view command, const MachineConfig& config,
                         const Program& program, const std::optional<TilingPlan>& plan,
                         const Timeline& timeline);

/// Writes the programs of a network one after the other, as in the report. `run` must have its
/// timelines. Each instruction shows the index of its layer in the report.
void write_network_trace(std::ostream& out, std::string_view title, const MachineConfig& config,
                         const network::NetworkProgram& program, const runtime::NetworkRun& run);

}  // namespace weft::report
