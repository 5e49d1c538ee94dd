// Why the array took longer than its formula: the ledger's classes between the first weight push
// and the last product, beside what the formula has of each.
//
//   cycle   0 ...... first push ............................ last product ...... total
//   ledger  | first  |<------------- array span ------------>| last write, vector, |
//           | tile   | active, shift, stalls, fill_drain     | stores              |
#pragma once

#include <string>

#include "cli/report.h"
#include "sim/isa/program.h"

namespace weft::cli {

/// Cycles of each class within the array span, less the formula's; the sum is array_span less
/// formula_cycles(). Negative where a stall hides what the formula counts. `report` has a plan, and
/// `program` is its program.
CycleLedger span_excess(const RunReport& report, const Program& program);

/// "+95 weight_stall"; several are listed in the ledger's order.
std::string excess_text(const CycleLedger& excess);

}  // namespace weft::cli
