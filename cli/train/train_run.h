// Runs one training from request to files.
#pragma once

#include "cli/streams.h"
#include "cli/train/train_options.h"

namespace weft::cli {

/// Exit code 0. Throws InputError, ConfigError, SimulationError. An error leaves the checkpoint and
/// the log written so far.
int run_training(const TrainRequest& request, const Streams& streams);

}  // namespace weft::cli
