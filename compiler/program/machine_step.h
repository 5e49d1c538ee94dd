// The beginning and the end of a program of the machine.
#pragma once

#include "compiler/program/network_program.h"
#include "compiler/program/stream.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// A program without instructions.
MachineStep new_step(const MachineConfig& config);

/// Moves the stream's instructions into the program, adds the counts for which they wait, and sums
/// up each layer's transfers.
void finish_step(Stream& stream, MachineStep& step, const MachineConfig& config);

}  // namespace weft::network
