// Tries schedules of a segment in a fixed order and keeps the one with the fewest cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/known_replays.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// What a search found, and what it had found before for a part of the batch.
struct FoundChoices {
  ScheduleChoices choices;
  Cycle cycles = 0;
  std::shared_ptr<const FoundChoices> of_part = nullptr;
  bool is_part = false;  // found for a part of a batch
};

/// A schedule, what it follows from, and what it costs if that was replayed.
struct CostedSchedule {
  Schedule schedule;
  std::optional<ScheduleChoices> choices;  // nullopt: of one product in rings
  std::optional<Cycle> cycles;
  std::uint64_t replayed = 0;  // instructions, by the search
  /// If `choices` have rounds at once: the best without.
  std::optional<ScheduleChoices> one_at_a_time = std::nullopt;
  std::shared_ptr<const FoundChoices> of_part = nullptr;  // with which the search began
};

/// The search ends when it has replayed this many instructions, and takes the best schedule so far.
constexpr std::uint64_t most_replayed(SearchEffort effort) {
  return effort == SearchEffort::kThorough ? 50'000'000 : 1'500'000;
}

/// Programs of up to this many instructions are also searched on all smaller machines. Longer ones
/// are searched from the machine's own capacities and from less of one.
constexpr std::uint64_t kShortProgram = most_replayed(SearchEffort::kNormal) / 12'000;

/// What a search may begin with.
struct KnownChoices {
  const CostedSchedule* of_part = nullptr;  // part_of_batch(), repeated; null: to be searched
  const FoundChoices* like = nullptr;       // for the same layers in other forms; null: nothing
  SharedReplays* replays = nullptr;         // with searches for other machines; null: none
};

/// The best schedule that a search of `most` replayed instructions finds; nullopt if no layer fits
/// beside sheets that stay. It depends on the arguments alone, whatever machine the schedule is for
/// in the end.
std::optional<CostedSchedule> search_schedules(const Segment& segment, const MachineConfig& config,
                                               const MappingOptions& options, std::uint64_t most,
                                               const KnownChoices& known = {});

}  // namespace weft::compiler
