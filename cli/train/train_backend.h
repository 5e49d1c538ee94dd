// The backend that `--backend` names, ready for training.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/train/train_options.h"
#include "models/training/checkpoint.h"
#include "models/training/executor.h"
#include "runtime/sim_backend.h"

namespace weft::cli {

struct TrainBackend {
  training::Backend prepare;
  std::shared_ptr<runtime::SimBackend> simulated = {};  // null unless `--backend sim`

  /// Cycles of a step by ledger class, and "total"; empty unless simulated.
  std::map<std::string, std::uint64_t> step_cycles() const;
};

/// Throws InputError if this build or computer has no such backend.
TrainBackend make_train_backend(const TrainRequest& request);

/// The properties of the backend that affect bits or cycles.
training::Identity backend_identity(const TrainRequest& request);

}  // namespace weft::cli
