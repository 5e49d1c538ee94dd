// The page of `weft train --html`: the course of loss and accuracy, and the cost of a simulated
// step.
#pragma once

#include "report/page/page_data.h"
#include "report/train/train_report.h"

namespace weft::report {

/// The most points of the curve over steps. With more steps, each point is a mean.
inline constexpr std::size_t kShownSteps = 1000;

/// The page's data (docs/page.md).
Json train_page_data(const TrainReport& report);

}  // namespace weft::report
