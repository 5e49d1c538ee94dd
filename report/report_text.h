// The report as text for people: a few aligned lines, and for a network the table of its layers.
#pragma once

#include <string>

#include "report/report.h"
#include "report/text.h"

namespace weft::report {

/// The table of --sensitivity.
std::string sensitivity_text(const runtime::Sensitivity& sensitivity, const Style& style);

std::string report_text(const RunReport& report, const Style& style);
/// The report of a network that the CPU reference alone ran, in `wall_seconds`.
std::string reference_text(const RunReport& report, const Style& style);

/// "2.14 times the bound of 495,502 cycles; bound by array", of a run of `cycles`.
std::string bound_line(const compiler::Bound& bound, Cycle cycles);
/// "lenet5, batch 1, 61,706 parameters, 417 kMACs".
std::string network_line(const RunReport& report);
/// "8 x 8 tiles, 64 folds, 1 chunk of 1000 rows, 4.6 % padding".
std::string plan_line(const TilingPlan& plan);
/// "64,382 = load 128 + steps 63,000 + last fold 1,254".
std::string formula_line(const TilingPlan& plan);

}  // namespace weft::report
