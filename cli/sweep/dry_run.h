#pragma once

#include "cli/sweep/sweep_options.h"
#include "report/streams.h"

namespace weft::cli {

/// Prints how many points the sweep would run, its axes, and how long it may take. Runs a few
/// points and keeps none. Throws InputError.
void dry_run(const sweep::Space& space, const SweepFlags& flags, const report::Streams& streams);

/// How many processes run points if --jobs does not say: one for each processor.
std::size_t processors();

}  // namespace weft::cli
