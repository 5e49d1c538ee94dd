// Why the array took longer than its formula: the ledger's classes between the first weight push
// and the last product, beside what the formula has of each.
//
//   cycle   0 ...... first push ............................ last product ...... total
//   ledger  | first  |<------------- array span ------------>| last write, vector, |
//           | tile   | active, shift, stalls, fill_drain     | stores              |
#pragma once

#include <cstdint>
#include <string>

#include "cli/report.h"
#include "sim/isa/program.h"

namespace weft::cli {

/// Cycles of each class within the array span, less the formula's; the sum is array_span less
/// `formula_cycles`. Negative where a stall hides what the formula counts. `result` is the run of
/// `program`, a product or convolution of `folds` tiles.
CycleLedger span_excess(const MachineConfig& config, const Program& program, const Result& result,
                        std::uint64_t formula_cycles, std::uint64_t folds);

/// Of a report that has a plan; `program` is its program.
CycleLedger span_excess(const RunReport& report, const Program& program);

/// "+95 weight_stall"; several are listed in the ledger's order.
std::string excess_text(const CycleLedger& excess);

/// "array span 247 is 95 more than the formula: +20 weight_shift, +75 weight_stall"; empty if it is
/// not more.
std::string excess_sentence(Cycle array_span, std::uint64_t formula_cycles,
                            const CycleLedger& excess);

}  // namespace weft::cli
