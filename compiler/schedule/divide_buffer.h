// Divides the unified buffer between what stays in it and staging.
#pragma once

#include <cstdint>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// How many rows before their sheet the generators of any layer may begin, in any form.
std::uint64_t needed_margin(const Segment& segment);

/// The most tiles of weights for which the buffer has slots: half of it.
std::uint32_t most_tile_slots(const MachineConfig& config);

/// The buffer with `tile_slots` slots at its end, at most most_tile_slots(), `staging` rows of
/// staging before them and up to `margin` rows of margin, as far as there is room.
BufferParts with_staging(const MachineConfig& config, std::uint64_t margin, std::uint64_t staging,
                         std::uint32_t tile_slots = 0);

}  // namespace weft::compiler
