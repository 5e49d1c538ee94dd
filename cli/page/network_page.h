// The page of a network's run, which `run` and `conv` write with --html.
#pragma once

#include "cli/network_job.h"
#include "cli/network_report.h"
#include "cli/page/page_data.h"
#include "compiler/program/network_program.h"

namespace weft::cli {

/// The page's data (docs/page.md). The run in `report` must have its timelines and, with values,
/// its recording.
Json network_page_data(const NetworkJob& job, const network::NetworkProgram& program,
                       const NetworkReport& report);

}  // namespace weft::cli
