// When each unit works and when it waits, one bar an instruction: what is drawn of a run.
//
//   load     |wait|==== load 0 ====|== load 1 ==|       a transfer: while it is on its channel
//   matmul          |---- wait ----|=== matmul 0 ===|   while its rows enter the array
//
// A bar is the time in which the unit can do nothing else; what follows it (latency, draining)
// overlaps the next instruction, and `retired` in the timeline tells its end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/analysis/channel_use.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// What works on one instruction at a time: a unit, or the port that fetches tiles from the
/// unified buffer while the fetch unit turns to its next transfer.
enum class BarTrack : std::uint8_t { kLoad, kFetch, kBufferFetch, kMatmul, kVector, kStore };
inline constexpr std::size_t kBarTrackCount = 6;

BarTrack bar_track(const Operation& operation);
std::string_view to_string(BarTrack track);

struct UnitBar {
  std::uint32_t instruction = 0;
  /// From when on the instruction headed its queue, at `begin` or before, and nothing of its track
  /// was under way.
  Cycle wait_begin = 0;
  /// What it waited for last: a unit's name ("load": `after` counts it), "weights" (its tile is not
  /// in the array) or "channel" (others use it). Empty if it did not wait.
  std::string_view wait_for;
  /// [begin, end), disjoint from the track's other bars. Of two that share a cycle of a channel,
  /// the first is cut short where the next begins, perhaps to nothing.
  Cycle begin = 0;
  Cycle end = 0;
};

/// By track and then by time, from a complete timeline and its channel_use().
std::vector<std::vector<UnitBar>> unit_bars(const MachineConfig& config, const Program& program,
                                            const Timeline& timeline, const ChannelUse& use);

}  // namespace weft
