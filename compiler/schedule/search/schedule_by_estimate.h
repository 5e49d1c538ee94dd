// Chooses among schedules by a closed form, for searches that replay nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// `start` with the whole batch or with groups of it, and with several sizes of staging: the
/// schedule with the fewest estimated cycles. Where the estimate `decides`, because no replay
/// follows, bands of lines are tried as well if rows leave the buffer, and tiles with few rows
/// count as longer. nullopt for one image without bands, and if none fits.
///
/// By the estimate each part of a layer takes as long as its rows in the array or as its transfers,
/// whichever is longer, and parts follow one another. Sheets outside the unified buffer come and go
/// once for each part that uses them; weights come once for each chunk. The vector unit and all
/// latencies are left out: they hardly differ.
std::optional<CostedSchedule> schedule_by_estimate(const Segment& segment,
                                                   const MachineConfig& config,
                                                   const ScheduleChoices& start,
                                                   std::uint64_t margin, bool decides);

/// The estimate that decides. Not for a schedule of one product.
double estimated_cycles(const Segment& segment, const Schedule& schedule,
                        const MachineConfig& config);

}  // namespace weft::compiler
