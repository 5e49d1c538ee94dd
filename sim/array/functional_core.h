// Computes a program's values without timing. It applies each instruction to the unified buffer,
// the weight FIFO and the accumulators, in program order; SIMD kernels compute the tile products.
//
// A timed run gives the same values: the hazard check has shown that its accesses to each row
// happen in program order. Source: docs/timing.md, "Values and time".
#pragma once

#include <functional>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

struct ExecuteOptions {
  unsigned threads = 1;
  std::function<void(double)> progress = {};  // called with the share of matmul rows done
  /// Called after each instruction.
  std::function<void(std::size_t instruction, const UnifiedBuffer& buffer)> observe = {};
};

/// Executes `program`, which must be valid for the machine and free of hazards.
void execute_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                    const ExecuteOptions& options);

}  // namespace weft
