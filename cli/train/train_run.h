// Runs one training from request to files.
#pragma once

#include "cli/train/train_options.h"
#include "report/machine_text.h"
#include "report/streams.h"

namespace weft::cli {

/// `machine_file` belongs to the request's machine. Exit code 0. Throws InputError, ConfigError,
/// SimulationError. An error leaves the checkpoint and the log written so far.
int run_training(const runtime::TrainRequest& request, const report::MachineFile& machine_file,
                 const report::Streams& streams);

}  // namespace weft::cli
