// The replays of a search, and of the searches for smaller machines, so that no program is replayed
// twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/replay.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// Replays that several searches share: those of a segment and of parts of its batch, on machines
/// that differ in their capacities or rates. No cycle depends on the size of the unified buffer
/// itself, only on what a schedule does with it.
class SharedReplays {
 public:
  /// Exactly what replay() returns. `segment`: the only one with its number of images here.
  Replay of(const Segment& segment, const Schedule& schedule, const MachineConfig& config,
            Cycle most = kAnyCycles);
  /// How many were replayed.
  std::size_t size() const;

 private:
  struct Known {
    Schedule rest;
    std::uint64_t staging = 0;
    Cycle most = 0;
    Replay cost;
  };
  struct OfMachine {
    std::int64_t images = 1;
    MachineConfig machine;  // with no unified buffer
    std::vector<Known> all;
  };

  std::vector<Known>& of_machine(const Segment& segment, const MachineConfig& config);

  std::vector<OfMachine> machines_;
};

class KnownReplays {
 public:
  /// All must outlive this.
  KnownReplays(const Segment& segment, const MachineConfig& config)
      : segment_(segment), config_(config) {}

  /// Takes replays from there, and leaves its own there. null: none.
  void share(SharedReplays* replays) { shared_ = replays; }

  /// The cycles of a schedule, and the instructions that were replayed for them: 0 if this search
  /// knows them. More staging changes nothing if the program has used each row of it once. A
  /// schedule of more than `most` cycles is abandoned. What other searches replayed counts as
  /// replayed here, so that no search depends on what was searched before.
  Replay of(const Schedule& schedule, Cycle most);

 private:
  struct Known {
    Schedule rest;  // without the division of the buffer
    std::uint64_t staging = 0;
    Replay cost;
  };

  const Segment& segment_;
  const MachineConfig& config_;
  SharedReplays* shared_ = nullptr;
  std::vector<Known> all_;
};

}  // namespace weft::compiler
