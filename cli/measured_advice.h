// What would use the array better, in cycles that were simulated: the planner's suggestions
// (compiler/plan/advice.h), each tried on the analytic engine. One that gains nothing is not made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report.h"

namespace weft::cli {

/// A run of more instructions than this, or an alternative with more, is not simulated for advice.
inline constexpr std::uint64_t kMostAdvisedInstructions = 2'000'000;

/// One sentence for each suggestion that gains, for each waste that nothing here would lessen, and
/// one if nothing is padded. `report` has a plan. Cycles are simulated totals; with more
/// than `limit` instructions they are the formula's, and the sentence says so.
std::vector<std::string> measured_advice(const RunReport& report,
                                         std::uint64_t limit = kMostAdvisedInstructions);

}  // namespace weft::cli
