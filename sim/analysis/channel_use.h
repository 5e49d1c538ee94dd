// How busy the memory channels are, cycle by cycle. It replays the transfers of a run on their
// channels, as the engines did (sim/timing/channel_clock.h).
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

/// From `cycle` until the next step, the channel carries `share` (0..1) of bytes_per_second().
struct ChannelStep {
  Cycle cycle = 0;
  double share = 0;
  friend bool operator==(const ChannelStep&, const ChannelStep&) = default;
};

struct ChannelUse {
  /// The steps of each channel, in order of cycle. The first step is the first transfer; the last
  /// one has share 0.
  std::array<std::vector<ChannelStep>, kChannelCount> steps;
  /// For each instruction, the cycle after its last byte on the channel; -1 if it uses no channel.
  std::vector<Cycle> channel_end;
};

/// `timeline` must be complete. With an ideal memory, transfers take no time and use no channel.
ChannelUse channel_use(const MachineConfig& config, const Program& program,
                       const Timeline& timeline);

}  // namespace weft
