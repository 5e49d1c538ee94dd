// What `--backend` names, ready to train on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/train/sim_backend.h"
#include "cli/train/train_options.h"
#include "models/training/checkpoint.h"
#include "models/training/executor.h"

namespace weft::cli {

struct TrainBackend {
  training::Backend prepare;
  std::shared_ptr<SimBackend> simulated = {};  // null unless it is the simulated machine

  /// Cycles of a step by class of the ledger, and "total"; empty unless simulated.
  std::map<std::string, std::uint64_t> step_cycles() const;
};

/// Throws InputError if this build or computer has no such backend.
TrainBackend make_train_backend(const TrainRequest& request);

/// What of the backend decides bits and cycles.
training::Identity backend_identity(const TrainRequest& request);

}  // namespace weft::cli
