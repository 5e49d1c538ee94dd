// The searches for one segment: on its machine and on smaller ones, for its batch and for parts of
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <variant>

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/known_replays.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// A schedule, or why there is none.
using Found = std::variant<CostedSchedule, Obstacle>;

/// The best schedule for the machine alone, or what does not fit. Without a search, and if no layer
/// fits beside sheets that stay, its cycles are not known.
Found own_schedule(const Segment& segment, const MachineConfig& config,
                   const MappingOptions& options, std::uint64_t most,
                   const KnownChoices& known = {});

/// The options of a search that does not end early.
MappingOptions to_the_end(MappingOptions options);

/// Each search of a short program, on smaller machines too, replays at most this many: enough for
/// some hundred candidates. A batch begins with what a part of it found, and needs fewer.
std::uint64_t most_of_short(const Segment& segment, const MachineConfig& config);

/// The searches for one segment, for parts of its batch, and for both on smaller machines. Each is
/// done once. No result depends on the order in which they are asked for.
class Searches {
 public:
  /// For a network on this machine, which must outlive this.
  explicit Searches(const MachineConfig& machine) : machine_(machine) {}

  /// The best schedule that is found, or what does not fit.
  Found find(const Segment& segment, const MachineConfig& config, const MappingOptions& options,
             const FoundChoices* like = nullptr);
  /// The same for part_of_batch(); null if there is none. On each machine `like` must be the same
  /// for all calls.
  const CostedSchedule* of_part(const Segment& segment, const MachineConfig& config,
                                MappingOptions options, const FoundChoices* like = nullptr);
  /// The best schedule of a short program for the machine alone, without what it leaves empty. Its
  /// batch begins with of_part() there, so this is what schedule_segment() begins with on that
  /// machine.
  const Found& of_short(const Segment& segment, const MachineConfig& config,
                        const MappingOptions& options);

  SharedReplays& replays() { return replays_; }
  bool is_machine(const MachineConfig& config) const { return config == machine_; }

 private:
  struct Known {
    std::int64_t images = 1;
    MachineConfig machine;
    SearchEffort effort;
    Found found;
  };

  template <class Search>
  const Found& once(std::deque<Known>& all, const Segment& segment, const MachineConfig& config,
                    const MappingOptions& options, const Search& search) {
    const std::int64_t images = batch_of(segment);
    const auto known = std::ranges::find_if(all, [&](const Known& each) {
      return each.images == images && each.machine == config && each.effort == options.effort;
    });
    if (known != all.end()) return known->found;
    Found found = search();  // may add others
    return all.emplace_back(Known{images, config, options.effort, std::move(found)}).found;
  }

  const MachineConfig& machine_;
  SharedReplays replays_;
  std::deque<Known> parts_;
  std::deque<Known> short_;
};

}  // namespace weft::compiler
