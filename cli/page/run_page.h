// The page of one program's run, which `matmul` and `exec` write with --html.
#pragma once

#include <optional>

#include "cli/job.h"
#include "cli/page/page_data.h"
#include "cli/report.h"
#include "cli/shown_run.h"
#include "sim/trace/array_recording.h"

namespace weft::cli {

/// Records the array's inputs in the cycles that a page can animate. Uses `memory` as
/// record_array() does.
ArrayRecording recording_for_page(const Job& job, const Result& result, HostMemory& memory);

/// The page's data (docs/page.md), with the timeline of `drawn`. Pass no `recording` for a run
/// without values.
Json run_page_data(const Job& job, const RunReport& report, const RunToDraw& drawn,
                   const std::optional<ArrayRecording>& recording);

}  // namespace weft::cli
