// The machine as text, and the lines about it and its cycles that all reports share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// A line of a summary: the label in bold, eleven columns wide, then the value.
std::string labelled_line(std::string_view label, const std::string& value, const Style& style);
/// "R x C int8, 700 MHz" and the like.
std::string machine_line(const MachineConfig& config);
/// "array.rows 64 (tpu-v2: 128)" for each key that differs from the preset, several to a line.
std::vector<std::string> modified_lines(const MachineConfig& config);
/// The labelled lines of a report: the machine, and what was modified in it, if anything was.
std::string machine_text(const MachineConfig& config, const Style& style);
/// The same as the heading of `explain`, without labels.
std::string machine_heading(const MachineConfig& config, const Style& style);

/// "67,285 = 96.1 us at 700 MHz".
std::string cycles_line(Cycle cycles, const MachineConfig& config);
/// One line for each class that is not zero, indented by eleven columns.
std::string ledger_text(const CycleLedger& ledger);

}  // namespace weft::report
