// Divides the unified buffer between what stays in it and staging.
#pragma once

#include <cstdint>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// How many rows before their sheet the generators of any layer may begin, in any form.
std::uint64_t needed_margin(const Segment& segment);

/// The buffer with its last `staging` rows as staging and up to `margin` rows of margin, as far as
/// there is room.
BufferParts with_staging(const MachineConfig& config, std::uint64_t margin, std::uint64_t staging);

}  // namespace weft::compiler
