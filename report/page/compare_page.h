// The page of `weft compare`: the rows as a table and a chart, or a sweep as curves.
#pragma once

#include <string>

#include "report/compare/compare_report.h"

namespace weft::report {

/// The page's data (docs/page.md).
Json compare_page_data(const runtime::CompareReport& report, const std::string& command_line);

}  // namespace weft::report
