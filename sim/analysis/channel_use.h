// How busy the memory channels are, cycle by cycle: the transfers of a run, put on their channels
// again as the engines did it (sim/timing/channel_clock.h).
//
//   cycle     4         5         6         7         8
//             |---- A ----|-- B --|                          shares 1 1 0.8 0 0
#pragma once

#include <array>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"
#include "sim/timing/transfers.h"

namespace weft {

/// From `cycle` to the next step's, the channel carries `share` (0..1) of bytes_per_second().
struct ChannelStep {
  Cycle cycle = 0;
  double share = 0;
  friend bool operator==(const ChannelStep&, const ChannelStep&) = default;
};

struct ChannelUse {
  /// By channel; ascending, no step for cycles before the first transfer, the last with share 0.
  std::array<std::vector<ChannelStep>, kChannelCount> steps;
  /// By instruction: the cycle behind the one in which its last byte is on the channel; for what
  /// uses no channel -1.
  std::vector<Cycle> channel_end;
};

/// Of a complete timeline. Nothing is busy on an ideal memory, where transfers take no time.
ChannelUse channel_use(const MachineConfig& config, const Program& program,
                       const Timeline& timeline);

}  // namespace weft
