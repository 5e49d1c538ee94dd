// What a program computes, without time: every instruction's effect on the unified buffer, the
// weight FIFO and the accumulators, in program order, with the tile products done by SIMD kernels.
//
// This gives the values of a timed run because the hazard check has shown that for every row the
// accesses happen in program order. Source: docs/timing.md, "Values and time".
#pragma once

#include <functional>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

struct ExecuteOptions {
  unsigned threads = 1;
  std::function<void(double)> progress = {};  // called with the share of the rows streamed
  /// Called after each instruction.
  std::function<void(std::size_t instruction, const UnifiedBuffer& buffer)> observe = {};
};

/// Executes `program`, which must be valid for the machine and free of hazards.
void execute_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                    const ExecuteOptions& options);

}  // namespace weft
