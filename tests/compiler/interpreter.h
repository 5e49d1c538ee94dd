// A second, plain definition of the instructions. It runs a program in program order on byte
// arrays, without time or hazards. For each accumulator row it keeps the list of tiles added into
// the row.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::test {

/// Row-major. Elements are small whole numbers for every element type.
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

/// The sums that one vector instruction reads. The tiles are those of its first accumulator row.
struct RegionUse {
  std::vector<std::uint64_t> tiles;  // in the order of addition
  std::uint32_t rows = 0;
};

struct Outcome {
  Grid out;
  std::vector<RegionUse> uses;               // one per vector instruction
  std::map<std::uint64_t, int> host_writes;  // how often each host row was stored
};

/// Throws std::out_of_range for a row outside the UB, the accumulators, the tensors or the FIFO.
Outcome interpret(const Program& program, const MachineConfig& config, const Operands& operands);

}  // namespace weft::test
