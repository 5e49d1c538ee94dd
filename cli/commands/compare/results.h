// `weft compare A.json B.json`: two results side by side, without running anything.
#pragma once

#include "cli/options/arguments.h"
#include "report/streams.h"

namespace weft::cli {

/// True if the arguments of `weft compare` name a result instead of a workload.
bool names_results(const Arguments& arguments);

/// Returns exit code 0. Throws InputError.
int run_compare_results(const Arguments& arguments, const report::Streams& streams);

}  // namespace weft::cli
