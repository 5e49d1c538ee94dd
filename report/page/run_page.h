// The page of one program's run, which `matmul` and `exec` write with --html.
#pragma once

#include <optional>
#include <string>

#include "report/page/page_data.h"
#include "report/report.h"
#include "sim/trace/array_recording.h"

namespace weft::report {

/// The page's data (docs/page.md). `report` is of a run of `program`. Pass no `recording` for a run
/// without values; `with_values` says whether the operands had values that could be drawn.
Json run_page_data(const RunReport& report, const Program& program, const std::string& command_line,
                   bool with_values, const std::optional<ArrayRecording>& recording);

}  // namespace weft::report
