// Runs one network on the CPU reference alone. This gives values and the time they took, but no
// cycles.
#pragma once

#include "cli/network_job.h"
#include "cli/streams.h"

namespace weft::cli {

/// Exit code 0. Throws InputError.
int run_reference_job(const NetworkJob& job, const Streams& streams);

}  // namespace weft::cli
