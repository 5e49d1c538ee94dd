#pragma once

#include <string>

#include "cli/sweep/sweep_options.h"
#include "report/streams.h"

namespace weft::cli {

/// Runs the sweep and writes what the flags ask for. Throws InputError, ConfigError.
void run_sweep_job(sweep::Request request, const SweepFlags& flags, const report::Streams& streams);

/// Shows and writes what the database holds, without running anything. `command` is the command
/// line, for the page. Throws InputError.
void report_sweep(const std::string& db, const SweepFlags& flags, const std::string& command,
                  const report::Streams& streams);

}  // namespace weft::cli
