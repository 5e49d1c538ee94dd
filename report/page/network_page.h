// The page of a network's run, which `run` and `conv` write with --html.
#pragma once

#include <string>

#include "compiler/program/network_program.h"
#include "report/network_report.h"
#include "report/page/page_data.h"

namespace weft::report {

/// The page's data (docs/page.md). The run in `report` is of `program` and must have its timelines
/// and, with values, its recording. Adds `parts`, further data by key.
Json network_page_data(const NetworkReport& report, const network::NetworkProgram& program,
                       const std::string& command_line, const Json& parts = nullptr);

}  // namespace weft::report
