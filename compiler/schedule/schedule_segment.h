// Decides how the layers of a segment are cut and what stays in the unified buffer.
#pragma once

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Tries to divide the unified buffer so that most sheets stay in it, then so that more of it is
/// left for what a layer works on at once, and takes the first division with which all layers fit.
/// Throws ConfigError if a layer does not fit even the whole buffer.
Schedule schedule_segment(const Segment& segment, const MachineConfig& config);

}  // namespace weft::compiler
