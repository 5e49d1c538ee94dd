// Decides how the layers of a segment are cut and what stays in the unified buffer.
#pragma once

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Divides the unified buffer between sheets that stay in it and what a layer works on at once, and
/// cuts the layers into chunks. Of several schedules it takes the one whose program has the fewest
/// cycles in an exact replay, and of equal ones the first. The number of replayed instructions is
/// limited: long programs try fewer schedules or only the first. SearchEffort::kNone takes the
/// first that fits. Throws ConfigError if a layer does not fit even the whole buffer.
CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config,
                                const MappingOptions& options = {},
                                const FoundChoices* like = nullptr);

}  // namespace weft::compiler
