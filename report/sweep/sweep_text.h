// What a sweep found, for people.
#pragma once

#include <string>
#include <vector>

#include "report/text.h"
#include "runtime/sweep/pareto.h"
#include "runtime/sweep/space/space.h"

namespace weft::report {

/// "24 points; --dry-run ran none" and what else is known before a sweep: its axes and their
/// values.
std::string axes_text(const sweep::Space& space, const Style& style);

/// A table for each front: the figures, the columns that tell the points of the work apart, and how
/// many more points have the same figures. At most `most_rows` rows of each are shown.
std::string fronts_text(const sweep::Fronts& fronts, const Style& style,
                        std::size_t most_rows = 40);

}  // namespace weft::report
