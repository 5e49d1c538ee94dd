// The table of a network's layers: where each runs, its tiles, its cycles by class.
#pragma once

#include <string>

#include "report/report.h"
#include "report/text.h"

namespace weft::report {

/// One row per layer, then what the columns mean and the notes on layers. At most about 140
/// columns.
std::string layer_table(const RunReport& report, const Style& style);

}  // namespace weft::report
