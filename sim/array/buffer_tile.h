// Reads a weight tile from the unified buffer (UB), one UB row at a time. `fast` reads all rows at
// once, `stepped` and `rtl` one per cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

/// Copies the elements of read number `index` (below buffer_tile_reads()) into the tile `out`: R*C
/// elements, row-major. The caller sets `out` to zero before the first read. Throws SimulationError
/// if the buffer has no such row.
void read_tile_row(const BufferTile& tile, std::uint32_t index, const MachineConfig& config,
                   const UnifiedBuffer& buffer, std::span<std::byte> out);

}  // namespace weft
