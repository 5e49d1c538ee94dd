// Writes the program of a segment.
#pragma once

#include <cstddef>

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "compiler/program/stream.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// A lower bound of the matmuls and fetches of the segment's program, whatever its schedule. A
/// layer that alone has more than `most`, and those after it, do not count.
std::uint64_t least_instructions(const Segment& segment, const MachineConfig& config,
                                 std::size_t most);

/// Emits the instructions of the layers to `sink`, as `schedule` says: the schedule of
/// schedule_segment() for this segment and machine. Returns everything of the step except the
/// schedule and what the sink received. Throws InputError if there are more than `most`
/// instructions, if possible before the first.
MachineStep emit_segment(const Segment& segment, const Schedule& schedule,
                         const MachineConfig& config, std::size_t most, InstructionSink& sink);

}  // namespace weft::compiler
