// Searches for machines with less of something, whose schedules the machine itself runs at least as
// fast (docs/compiler.md, "More capacity never costs cycles").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/capacities.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/search/known_replays.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

class Searches;

/// True if the network searches smaller machines for none of its programs: it has many.
bool is_one_of_many(const MappingOptions& options);

/// True if schedule_segment() searches all smaller machines too: if the program would be short on a
/// machine with room for everything. So whether it does is the same for a machine with more.
bool tries_smaller_machines(const Segment& segment, const MachineConfig& config,
                            const MappingOptions& options = {});

/// The searches on machines with less of one capacity end when they have replayed this many.
constexpr std::uint64_t kOneLess = most_replayed(SearchEffort::kNormal) / 5;

/// Searches smaller machines and keeps the schedule with the fewest cycles on the machine itself.
/// The machine itself runs each of these schedules at least as fast as the smaller machine does.
class SmallerMachines {
 public:
  SmallerMachines(const Segment& segment, const MachineConfig& config,
                  const MappingOptions& options, CostedSchedule own,
                  std::optional<std::uint64_t> most, Searches& searches);

  /// Goes down each ladder alone.
  CostedSchedule best_of_one_less();
  /// Goes down the ladder of the unified buffer alone, from the first one of fewer rows than
  /// `below`, until the searches have replayed `most` instructions.
  CostedSchedule best_of_smaller_buffers(std::uint64_t below, std::uint64_t most);
  /// Goes down each ladder from each step of the others.
  CostedSchedule best_of_all();

 private:
  /// Halves the rate of one channel after the other, at most twice. A program never takes longer
  /// with a faster memory whose channels serve one stream each, but the search may choose a worse
  /// program. Smaller machines have only their own rates, or each would be searched five times.
  void try_slower_memories();
  /// Tries the choices for a machine that differs in its rates. False as from search().
  bool search_choices(const MachineConfig& other);
  /// False if machines with even less are to be left out.
  bool search(const Capacities& capacities);

  const Segment& segment_;
  const MachineConfig& config_;
  MappingOptions options_;
  CostedSchedule best_;
  const std::optional<std::uint64_t> most_;  // replayed by a search; nullopt: most_of_short()
  Searches& searches_;
  SharedReplays& replays_;
  std::uint64_t replayed_ = 0;
  std::vector<Capacities> searched_ = {capacities_of(config_)};
};

}  // namespace weft::compiler
