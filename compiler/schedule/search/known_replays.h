// The replays of a search, so that no program is replayed twice.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/replay.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class KnownReplays {
 public:
  /// Both must outlive this.
  KnownReplays(const Segment& segment, const MachineConfig& config)
      : segment_(segment), config_(config) {}

  /// The cycles of a schedule, and the instructions that were replayed for them: 0 if they are
  /// known. More staging changes nothing if the program has used each row of it once. A schedule
  /// of more than `most` cycles is abandoned.
  Replay of(const Schedule& schedule, Cycle most);

 private:
  struct Known {
    Schedule rest;  // without the division of the buffer
    std::uint64_t staging = 0;
    Replay cost;
  };

  const Segment& segment_;
  const MachineConfig& config_;
  std::vector<Known> all_;
};

}  // namespace weft::compiler
