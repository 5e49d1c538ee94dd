// Computes the ledger from the timeline: every cycle of [0, total) is counted once, by the first
// rule that applies.
//
//   1 array_active   a row enters PE(0,0)
//   2 weight_shift   a tile is being pushed
//     while a matmul is left, the reason why the next one waits:
//   3 weight_stall   its tile is not in the FIFO
//   4 input_stall    a load that it waits for has not retired
//   5 raw_stall      a vector instruction that it waits for has not retired
//   6 fill_drain     it waits only for rows still in the array (double_buffer = off)
//     when no matmul is left:
//   6 fill_drain     rows are still in the array
//   7 vector         the vector unit works
//   8 output         a store is under way
//   9 idle           none of these
//
// Source: docs/timing.md, "The ledger".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft {

/// The ledger of a complete timeline; its sum is `total`, the last retirement + 1.
CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total);

/// The ledger by window: entry i counts the cycles in [boundaries[i], boundaries[i+1]). The rules
/// above apply to the whole run. `boundaries` must not descend; cycles outside all windows are not
/// counted. If the windows cover the run, their sum is its ledger.
std::vector<CycleLedger> ledgers(const MachineConfig& config, const Program& program,
                                 const Timeline& timeline, std::span<const Cycle> boundaries);

/// The same cycles by group: entry g counts the cycles of the instructions of group g. Each cycle
/// belongs to the instruction by which it is classed (docs/timing.md, "Whose cycle it is"), so the
/// groups sum to the run's ledger however their instructions interleave. `group_of` has one entry
/// below `groups` for each instruction.
std::vector<CycleLedger> ledgers_by_group(const MachineConfig& config, const Program& program,
                                          const Timeline& timeline,
                                          std::span<const std::uint32_t> group_of,
                                          std::size_t groups);

/// Consecutive cycles of one class.
struct LedgerSpan {
  std::size_t ledger_class = 0;  // index into kLedgerClasses
  Cycle begin = 0;
  Cycle end = 0;
  friend bool operator==(const LedgerSpan&, const LedgerSpan&) = default;
};

/// The run cut into spans, in order and without gaps. The spans of a class sum to its entry in
/// ledger().
std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total);

}  // namespace weft
