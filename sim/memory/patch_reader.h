// The values that a load brings: host rows as they are, or patches cut out of a dense image.
#pragma once

#include <cstddef>
#include <span>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/memory/host_memory.h"

namespace weft {

/// Fills `out` (load.rows UB rows) with what the load writes into the unified buffer.
void read_load(const HostMemory& memory, const Load& load, const MachineConfig& config,
               std::span<std::byte> out);

}  // namespace weft
