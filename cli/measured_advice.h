// What would use the array better, in cycles that were simulated: the planner's suggestions
// (compiler/plan/advice.h), each tried on the analytic engine. One that gains nothing is not made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report.h"

namespace weft::cli {

/// Work a cycle has to grow by this factor for a suggestion to be worth its sentence.
inline constexpr double kNoticeable = 1.05;

/// What an alternative does and takes, relative to the run.
struct Comparison {
  double work = 1;
  double cycles = 1;
  bool simulated = true;  // totals; else the formula's cycles

  bool gains() const { return work >= kNoticeable * cycles; }
};

/// "64 would take 62.5 % of the cycles", "192 would do 1.50 times the work in the same cycles";
/// `rows` stands behind the size where there is more work: "" or " rows".
std::string comparison_text(std::uint64_t size, std::string_view rows,
                            const Comparison& comparison);

/// A run of more instructions than this, or an alternative with more, is not simulated for advice.
inline constexpr std::uint64_t kMostAdvisedInstructions = 2'000'000;

/// Instructions of the program of `plan`, at most.
std::uint64_t most_instructions(const TilingPlan& plan);

/// One sentence for each suggestion that gains, for each waste that nothing here would lessen, and
/// one if nothing is padded. `report` has a plan. Cycles are simulated totals; with more
/// than `limit` instructions they are the formula's, and the sentence says so.
std::vector<std::string> measured_advice(const RunReport& report,
                                         std::uint64_t limit = kMostAdvisedInstructions);

}  // namespace weft::cli
