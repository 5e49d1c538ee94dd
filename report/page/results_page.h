// The page of `weft compare A.json B.json`: two results side by side.
#pragma once

#include <string>

#include "report/results/result_pair.h"

namespace weft::report {

/// The page's data (docs/page.md).
Json results_page_data(const ResultPair& pair, const std::string& command_line);

}  // namespace weft::report
