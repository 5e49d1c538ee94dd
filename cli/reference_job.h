// One network on the CPU reference alone: no machine, no cycles; values, and how long they took.
#pragma once

#include "cli/network_job.h"
#include "cli/streams.h"

namespace weft::cli {

/// Exit code 0. Throws InputError.
int run_reference_job(const NetworkJob& job, const Streams& streams);

}  // namespace weft::cli
