// The closed formulas of the timing contract for a whole tiling, which `weft explain` prints beside
// the simulated cycles. Source: docs/timing.md.
#pragma once

#include "compiler/mapping/tiling_plan.h"

namespace weft {

/// The MACs that a matmul needs and the MACs that the array spends, padded to whole tiles. Throws
/// InputError if a count does not fit 64 bits.
MacCount count_macs(const MatmulSpec& spec, std::uint64_t padded_k, std::uint64_t padded_n);

/// Cycles from the first weight push to the last PE if memory never keeps the array waiting. Reads
/// the plan's spec, tiles, chunks and order. Throws InputError if a count exceeds 64 bits.
FormulaTerms formula_terms(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
