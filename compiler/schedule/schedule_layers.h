// Schedules the layers of a segment one after the other, for given choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/mapping/misfit.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/staying_rows.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// What a schedule is free to choose. The rest follows.
struct ScheduleChoices {
  BufferParts buffer;
  /// For each layer one over the part of the accumulators that a chunk of it takes; 0: as
  /// map_contraction() estimates.
  std::vector<std::int64_t> chunk_parts;
  std::vector<std::size_t> forms;  // the number of each layer's form
  ImageGroups groups;
  InstructionOrder order = InstructionOrder::kByStart;
  Fit fit = Fit::kNext;
};

/// A layer for which the rows of the unified buffer do not suffice.
struct Obstacle {
  std::size_t layer = 0;
  Misfit misfit;
};

/// The schedule for the choices, or what does not fit.
std::variant<Schedule, Obstacle> schedule_layers(const Segment& segment,
                                                 const MachineConfig& config,
                                                 const ScheduleChoices& choices);

}  // namespace weft::compiler
