// When each instruction of a program was dispatched, started and retired. Every engine measures a
// timeline; the hazard check, the ledger and the counters are computed from it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace weft {

/// Cycles count from 0.
using Cycle = std::int64_t;

/// The cycles first .. last, both included; by default all.
struct CycleRange {
  Cycle first = 0;
  Cycle last = std::numeric_limits<Cycle>::max();
  bool contains(Cycle cycle) const { return first <= cycle && cycle <= last; }
};

struct InstructionTiming {
  Cycle dispatched = -1;
  Cycle started = -1;  // matmul: A, first activation row at PE(0,0); vector: V; else: transfer
  Cycle retired = -1;  // at the end of this cycle
  friend bool operator==(const InstructionTiming&, const InstructionTiming&) = default;
};

struct Timeline {
  std::vector<InstructionTiming> instructions;  // in program order
  std::vector<Cycle> pushes;                    // W, first push of each pushed tile, in FIFO order

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

}  // namespace weft
