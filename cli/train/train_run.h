// One training run from request to files.
#pragma once

#include "cli/streams.h"
#include "cli/train/train_options.h"

namespace weft::cli {

/// Exit code 0. Throws InputError, ConfigError, SimulationError; what was written before an error,
/// checkpoint and log, stays.
int run_training(const TrainRequest& request, const Streams& streams);

}  // namespace weft::cli
