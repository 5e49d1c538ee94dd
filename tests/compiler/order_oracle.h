// The hazard rule by brute force: it lists each row that each instruction touches, and stores the
// whole happens-before relation as a bit matrix. It is slow, simple and independent of the tracker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::test {

/// Two instruction indices. The earlier one must retire before the later one starts.
struct Conflict {
  std::size_t earlier = 0;
  std::size_t later = 0;
  std::string kind;  // "UB RAW", "UB RAW by a fetch", "accumulator WAR", ..., "FIFO"
};

/// Which pairs of instructions that touch one row are listed.
enum class Pairs : std::uint8_t {
  kAll,
  kUnordered,  // those that only a dependence can order, not the pairs that a unit itself orders
};

std::vector<Conflict> conflicts_of(const std::vector<Instruction>& code,
                                   const MachineConfig& config, Pairs pairs = Pairs::kUnordered);

/// Returns the indices of the conflicts that the `after` counts of `code` leave unordered.
std::vector<std::size_t> unordered(const std::vector<Instruction>& code,
                                   const std::vector<Conflict>& conflicts);

}  // namespace weft::test
