// What --trace writes: the runs of the command as trace events (sim/trace/trace_events.h), with
// what only the compiler knows beside each instruction.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "cli/network_runner.h"
#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft::cli {

/// One program. With the `plan` that it was made from, instructions have their tiles.
void write_program_trace(std::ostream& out, std::string_view command, const MachineConfig& config,
                         const Program& program, const std::optional<TilingPlan>& plan,
                         const Timeline& timeline);

/// The programs of a network one after the other, as in the report; `run` has kept its timelines.
/// Instructions have the index of their layer in the report.
void write_network_trace(std::ostream& out, std::string_view title, const MachineConfig& config,
                         const network::NetworkProgram& program, const NetworkRun& run);

}  // namespace weft::cli
