// The hazard rule by brute force: every row that every instruction touches, one by one, and the
// whole happens-before relation as a matrix of bits. Slow, plain, and independent of the tracker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::test {

/// Two instructions (by index) of which the earlier must have retired before the later starts.
struct Conflict {
  std::size_t earlier = 0;
  std::size_t later = 0;
  std::string kind;  // "UB RAW", "UB RAW by a fetch", "accumulator WAR", ..., "FIFO"
};

/// All pairs that only a dependence can order. Pairs that a unit orders by itself are not listed.
std::vector<Conflict> conflicts_of(const std::vector<Instruction>& code,
                                   const MachineConfig& config);

/// The indices of the conflicts that `code`'s `after` counts leave unordered.
std::vector<std::size_t> unordered(const std::vector<Instruction>& code,
                                   const std::vector<Conflict>& conflicts);

}  // namespace weft::test
