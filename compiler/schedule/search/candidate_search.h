// Tries schedules and keeps the one with the fewest cycles: what every search needs, whatever its
// candidates are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/buffered_tiles.h"
#include "compiler/schedule/search/known_replays.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// True if all sheets stay in the buffer as early as `before`.
bool keeps_sheets(const Schedule& before, const Schedule& now);

class CandidateSearch {
 protected:
  /// Replays at most `most` instructions. All must outlive this.
  CandidateSearch(const Segment& segment, const MachineConfig& config,
                  const MappingOptions& options, std::uint64_t most);

  /// As KnownReplays::share().
  void share(SharedReplays* replays) { replays_.share(replays); }

  bool at_budget() const { return replayed_ >= most_; }
  bool at_end() const { return best_ && at_budget(); }
  /// The fewest so far; 0: not known.
  Cycle cycles_so_far() const { return best_ ? best_->cycles.value_or(0) : 0; }

  /// Takes the choices if they save more than `least` cycles. Returns the cycles if they are known;
  /// nullopt for hopeless choices.
  std::optional<Cycle> consider(const ScheduleChoices& choices, Cycle least = 0);
  /// Replays the schedule; what takes more than four times its cycles is hopeless. For a part of a
  /// batch that is repeated: it may be no image but a row of a matrix, whose repetition takes many
  /// times as long.
  void give_up_far_beyond(const CostedSchedule& schedule);
  /// Other chunks must save a fiftieth of what an average layer takes, for each of `layers`: more
  /// of them fetch the weights more often.
  Cycle least_saving(std::size_t layers) const;
  /// The choices with 1/`share` of the buffer as staging.
  void consider_staging(std::uint64_t share, ScheduleChoices choices);
  /// The same with each fit and each order.
  void consider_arrangements(ScheduleChoices choices, std::uint64_t share);
  /// The choices with inputs in parts if they were whole, and the other way.
  void consider_cut_inputs(ScheduleChoices choices);

  /// Of the accumulators, for a layer (compiler::part_of_sums()).
  std::int64_t part_of_sums(std::size_t layer, std::int64_t parts) const;
  void stage(ScheduleChoices& choices, std::uint64_t rows) const;
  /// The choices with these tiles through slots, which leave less room for sheets.
  ScheduleChoices with_tiles(ScheduleChoices choices, const TileChoice& tiles) const;
  /// The machine for which the choices are planned.
  MachineConfig planned_machine(const ScheduleChoices& choices) const;

  const Segment& segment_;
  const MachineConfig& config_;
  const MappingOptions& options_;
  const std::uint64_t margin_;
  std::uint64_t most_;      // instructions
  std::uint64_t replayed_;  // instructions
  std::optional<CostedSchedule> best_;
  ScheduleChoices choices_;      // of `best_`
  Cycle hopeless_ = kAnyCycles;  // candidates that take more are not replayed to the end

 private:
  /// nullopt if they are more than `hopeless_`.
  std::optional<Cycle> cycles_of(const Schedule& schedule);

  KnownReplays replays_;
};

}  // namespace weft::compiler
