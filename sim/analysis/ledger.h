// From the timeline to the ledger: every cycle of [0, total) is counted once, by the first rule
// that holds in it.
//
//   1 array_active   a row enters PE(0,0)
//   2 weight_shift   a tile is being pushed
//     while a matmul is left, by what the next one waits for:
//   3 weight_stall   its tile is not in the FIFO
//   4 input_stall    a load that it names has not retired
//   5 raw_stall      a vector instruction that it names has not retired
//   6 fill_drain     only the rows still in the array (double_buffer = off)
//     when no matmul is left:
//   6 fill_drain     rows are still in the array
//   7 vector         the vector unit works
//   8 output         a store is under way
//   9 idle           none of these
//
// Source: docs/timing.md, "The ledger".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft {

/// The ledger of a complete timeline; its sum is `total`, the last retirement + 1.
CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total);

/// The same cycles by window: entry i counts those of [boundaries[i], boundaries[i+1]), by the
/// rules above for the run as a whole. `boundaries` ascend, not strictly; cycles outside of them
/// count nowhere. Windows that cover the run sum to its ledger.
std::vector<CycleLedger> ledgers(const MachineConfig& config, const Program& program,
                                 const Timeline& timeline, std::span<const Cycle> boundaries);

/// Neighbouring cycles of one class.
struct LedgerSpan {
  std::size_t ledger_class = 0;  // index into kLedgerClasses
  Cycle begin = 0;
  Cycle end = 0;
  friend bool operator==(const LedgerSpan&, const LedgerSpan&) = default;
};

/// The run cut into spans, in order and without gaps: those of a class sum to its entry in
/// ledger().
std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total);

}  // namespace weft
