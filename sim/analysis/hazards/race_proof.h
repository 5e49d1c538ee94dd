// Proves that a program is free of races however slow any unit is, not only on the timing of one
// run (hazard_check.h).
//
// The contract gives no unit a speed, so an instruction may be late by any time. If the
// dependences do not order two accesses to a row, then the second one comes first in this schedule:
// the instruction with the first access is later than everything else takes, and all others start
// as soon as the dependences let them. So one schedule per instruction finds every race:
//
//   instruction  0 load  ........................late|==|
//                1 load  |==|
//                2 matmul after=load:1  |=====|           reads what 0 has not loaded: a race
//
// The schedules are those of an abstract machine: transfers take no time, and queues have room for
// everything. What a unit's own order and pipeline guarantee holds there too.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft {

struct PossibleRace {
  std::size_t late = 0;  // the instruction that must only be late enough
  std::string hazard;    // what then happens, as check_hazards() says it
};

/// Returns a race that some timing has, or nullopt: no timing of the units can race. Takes time
/// quadratic in the number of instructions; calls `progress` from time to time with the share done.
/// Throws InputError for a program in which an instruction waits for one that follows it, which has
/// no such schedule.
std::optional<PossibleRace> find_possible_race(const MachineConfig& config, const Program& program,
                                               const std::function<void(double)>& progress = {});

}  // namespace weft
