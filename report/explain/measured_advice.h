// Advice for using the array better, measured in simulated cycles. Each suggestion of the planner
// (compiler/mapping/advice.h) is tried on the analytic engine; one that gains nothing is dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace weft::report {

/// A suggestion is reported only if it raises the work per cycle by at least this factor.
inline constexpr double kNoticeable = 1.05;

/// Work and cycles of an alternative, relative to the run.
struct Comparison {
  double work = 1;
  double cycles = 1;
  bool simulated = true;  // true: total cycles; false: cycles by the formula

  bool gains() const { return work >= kNoticeable * cycles; }
};

/// "64 would take 62.5 % of the cycles", "192 would do 1.50 times the work in the same cycles".
/// `rows` ("" or " rows") follows the size in the second form.
std::string comparison_text(std::uint64_t size, std::string_view rows,
                            const Comparison& comparison);

/// A run or an alternative with more instructions than this is not simulated for advice.
inline constexpr std::uint64_t kMostAdvisedInstructions = 2'000'000;

/// Returns one sentence for each suggestion that gains, one for each waste that no alternative
/// reduces, and one if nothing is padded. `report` must have a plan. Cycles are simulated totals;
/// above `limit` instructions they come from the formula, and the sentence says so.
std::vector<std::string> measured_advice(const RunReport& report,
                                         std::uint64_t limit = kMostAdvisedInstructions);

}  // namespace weft::report
