// Runs a program in program order on plain arrays of bytes, with no time and no hazards, and keeps
// for every accumulator row the list of tiles that were added up in it. The meaning of the
// instructions, written a second time and as plainly as possible.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::test {

/// Row-major; elements are small whole numbers, whatever the element type.
struct Grid {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::vector<std::int32_t> values;
  std::int32_t at(std::uint64_t row, std::uint64_t col) const { return values[row * cols + col]; }
};

struct Operands {
  Grid a;
  Grid b;
  Grid bias;  // 1 x N, or empty
};

/// What a vector instruction found in its first accumulator row and where it went.
struct RegionUse {
  std::vector<std::uint64_t> tiles;  // in the order in which they were added up
  std::uint32_t rows = 0;
};

struct Outcome {
  Grid out;
  std::vector<RegionUse> uses;               // one for each vector instruction
  std::map<std::uint64_t, int> host_writes;  // how often each host row was stored
};

/// Throws std::out_of_range for any row outside UB, accumulators, tensors or FIFO.
Outcome interpret(const Program& program, const MachineConfig& config, const Operands& operands);

}  // namespace weft::test
