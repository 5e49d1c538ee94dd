// Explains why the array took longer than its formula: compares the ledger between the first weight
// push and the last product with the formula, class by class.
//
//   cycle   0 ...... first push ............................ last product ...... total
//   ledger  | first  |<------------- array span ------------>| last write, vector, |
//           | tile   | active, shift, stalls, fill_drain     | stores              |
#pragma once

#include <cstdint>
#include <string>

#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// For each class, its cycles within the array span minus the formula's cycles. The sum is
/// array_span minus `formula_cycles`. A class is negative where a stall hides cycles that the
/// formula counts. `span_ledger` is Result's, for a product or convolution of `folds` tiles.
CycleLedger span_excess(const MachineConfig& config, const CycleLedger& span_ledger,
                        std::uint64_t formula_cycles, std::uint64_t folds);

/// "+95 weight_stall"; several classes are in the ledger's order.
std::string excess_text(const CycleLedger& excess);

/// "array span 247 is 95 more than the formula: +20 weight_shift, +75 weight_stall"; empty if the
/// span is not longer.
std::string excess_sentence(Cycle array_span, std::uint64_t formula_cycles,
                            const CycleLedger& excess);

}  // namespace weft::runtime
