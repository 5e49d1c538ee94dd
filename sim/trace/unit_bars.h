// When each unit works and when it waits, as one bar per instruction for drawings of a run.
//
//   load     |wait|==== load 0 ====|== load 1 ==|       a transfer: while it is on its channel
//   matmul          |---- wait ----|=== matmul 0 ===|   while its rows enter the array
//
// During a bar the unit can do nothing else. What follows the bar (latency, draining) overlaps the
// next instruction; it ends at `retired` in the timeline.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/analysis/channel_use.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Each track works on one instruction at a time. A track is a unit, or the port that fetches tiles
/// from the unified buffer while the fetch unit works on its next transfer.
enum class BarTrack : std::uint8_t { kLoad, kFetch, kBufferFetch, kMatmul, kVector, kStore };
inline constexpr std::size_t kBarTrackCount = 6;

BarTrack bar_track(const Operation& operation);
std::string_view to_string(BarTrack track);

struct UnitBar {
  std::uint32_t instruction = 0;
  /// The first cycle in which the instruction was the head of its queue and its track was free; at
  /// most `begin`.
  Cycle wait_begin = 0;
  /// What it waited for last: a unit's name ("load": `after` counts it), "weights" (its tile is not
  /// in the array) or "channel" (others use it). Empty if it did not wait.
  std::string_view wait_for;
  /// [begin, end), disjoint from the track's other bars. If two transfers share a cycle of a
  /// channel, the first bar ends where the next begins and may be empty.
  Cycle begin = 0;
  Cycle end = 0;
};

/// The bars of each track in order of time, from a complete timeline and its channel_use().
std::vector<std::vector<UnitBar>> unit_bars(const MachineConfig& config, const Program& program,
                                            const Timeline& timeline, const ChannelUse& use);

}  // namespace weft
