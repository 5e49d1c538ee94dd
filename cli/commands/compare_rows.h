// `weft compare ROWS.csv...`: rows of other comparisons in one table.
#pragma once

#include "cli/options/arguments.h"
#include "report/streams.h"

namespace weft::cli {

/// True if an argument is a file that `weft compare` wrote by --csv (its name ends so) or by --json
/// (its content says so).
bool names_rows(const Arguments& arguments);

/// Shows the rows; nothing runs. Returns exit code 0. Throws InputError.
int run_compare_rows(const Arguments& arguments, const report::Streams& streams);

}  // namespace weft::cli
