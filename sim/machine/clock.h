// How cycles map to SystemC time. Each cycle has three kinds of moments, so that no result depends
// on the order in which SystemC runs processes at the same time:
//
//   cycle t   |0 retire, dispatch |1 start |2, 3, 4 ... grant |                      | cycle t+1
//
//   tick 0   what retired at the end of cycle t-1 becomes visible and is written; the sequencer
//            dispatches, seeing only the starts of cycles before t
//   tick 1   units start what was dispatched before t, seeing all retirements before t
//   tick 2+  channels are granted, one transfer per tick, among all requests of ticks 1 to now
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/timing/timeline.h"

namespace weft {

inline constexpr std::uint64_t kTicksPerCycle = 1U << 16;  // more than any cycle has grants
inline constexpr std::uint64_t kDispatchTick = 0;
inline constexpr std::uint64_t kStartTick = 1;
inline constexpr std::uint64_t kGrantTick = 2;

inline sc_core::sc_time ticks(std::uint64_t count) {
  return sc_core::sc_time::from_value(count);
}

inline std::uint64_t now_ticks() {
  return sc_core::sc_time_stamp().value();
}

inline Cycle current_cycle() {
  return static_cast<Cycle>(now_ticks() / kTicksPerCycle);
}

inline std::uint64_t moment(Cycle cycle, std::uint64_t tick) {
  return static_cast<std::uint64_t>(cycle) * kTicksPerCycle + tick;
}

/// Waits until the given moment; returns at once if it has passed. Only in an SC_THREAD.
inline void wait_until(Cycle cycle, std::uint64_t tick) {
  const std::uint64_t target = moment(cycle, tick);
  if (target > now_ticks()) sc_core::wait(ticks(target - now_ticks()));
}

}  // namespace weft
