// Runs one network on the CPU reference alone. This gives values and the time they took, but no
// cycles.
#pragma once

#include "cli/network_job.h"
#include "report/streams.h"

namespace weft::cli {

/// Exit code 0. Throws InputError.
int run_reference_job(const NetworkCommand& job, const report::Streams& streams);

}  // namespace weft::cli
