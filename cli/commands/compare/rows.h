// `weft compare ROWS.csv...`: rows of other comparisons in one table.
#pragma once

#include "cli/options/arguments.h"
#include "cli/report_targets.h"
#include "report/streams.h"
#include "runtime/compare/compare_job.h"

namespace weft::cli {

/// True if an argument ends in .csv, or if all are --json files of `weft compare`.
bool names_rows(const Arguments& arguments);

/// Shows the rows; nothing runs. Returns exit code 0. Throws InputError.
int run_compare_rows(const Arguments& arguments, const report::Streams& streams);

/// Writes the rows to the files of --csv, --json and --html, and prints them. Returns exit code 0.
/// Throws InputError.
int write_rows(const Arguments& arguments, const ReportTargets& targets,
               const runtime::CompareReport& report, const report::Streams& streams);

}  // namespace weft::cli
