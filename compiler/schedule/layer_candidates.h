// The other ways to run a layer: what the compiler chose, with one decision made otherwise. Whoever
// asks why the compiler chose as it did can time them side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/program/schedule.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/schedule_layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

struct LayerCandidate {
  std::string decision;                    // such as "chunks of up to 512 rows"
  std::optional<ScheduleChoices> choices;  // nullopt: of one product in rings
  std::variant<Schedule, Obstacle> schedule;
};

/// Each differs from `scheduled` in one decision about layer number `layer` or about the whole
/// program. About the layer: its form, the most rows of a chunk, its images at once (those of its
/// neighbors follow where they must). About the program: the order of its instructions, the fit of
/// rows that stay, the rows of staging. A product in rings has the plans that the compiler replays.
std::vector<LayerCandidate> layer_candidates(const ScheduledSegment& scheduled,
                                             const MachineConfig& config, std::size_t layer);

/// What was chosen for the layer, in the words of the decisions: "form 0, estimated chunks, ...".
std::string decisions_text(const ScheduledSegment& scheduled, std::size_t layer);

}  // namespace weft::compiler
