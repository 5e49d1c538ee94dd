// The page of `weft train --html`: how loss and accuracy went, and what a simulated step took.
#pragma once

#include "cli/page/page_data.h"
#include "cli/train/train_report.h"

namespace weft::cli {

/// Points of the curve of steps that a page has; of more steps, each point is the mean of several.
inline constexpr std::size_t kShownSteps = 1000;

/// The page's data (docs/page.md).
Json train_page_data(const TrainReport& report);

}  // namespace weft::cli
