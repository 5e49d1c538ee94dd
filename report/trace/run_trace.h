// Writes the file of --trace: the command's runs as trace events (sim/trace/trace_events.h). Adds
// to each instruction what only the compiler knows about it.
#pragma once

#include <iosfwd>

#include "compiler/program/network_program.h"
#include "report/report.h"

namespace weft::report {

/// Writes the programs of `report`'s run one after the other. The run is of `program` and must have
/// its timelines. Each instruction shows its tile and, in a network, the index of its layer in the
/// report.
void write_trace(std::ostream& out, const RunReport& report,
                 const compiler::NetworkProgram& program);

}  // namespace weft::report
