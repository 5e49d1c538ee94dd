#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/sweep/sweep_options.h"
#include "report/streams.h"

namespace weft::cli {

/// Prints how many points the sweep would run, its axes, and how long it may take. Runs a few
/// points and keeps none. Throws InputError.
void dry_run(const sweep::Space& space, const SweepFlags& flags, const report::Streams& streams);

/// How long `jobs` processes take for `points` points of `seconds` each. A point is run by one
/// process from its beginning to its end.
double sweep_seconds(double seconds, std::uint64_t points, std::size_t jobs);

/// How many processes run points if --jobs does not say: one for each processor.
std::size_t processors();

}  // namespace weft::cli
