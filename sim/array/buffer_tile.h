// A weight tile taken from the unified buffer, one UB row at a time, as both engines with values
// read it: `fast` all rows at once, `stepped` and `rtl` one a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

/// Puts what the fetch reads at `index` (below buffer_tile_reads()) into `out`: R*C elements,
/// row-major, zero before the first row is read. Throws SimulationError if the buffer has no such
/// row.
void read_tile_row(const BufferTile& tile, std::uint32_t index, const MachineConfig& config,
                   const UnifiedBuffer& buffer, std::span<std::byte> out);

}  // namespace weft
