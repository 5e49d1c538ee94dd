// The backend that `--backend` names, ready for training.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "models/training/checkpoint.h"
#include "models/training/executor.h"
#include "runtime/sim_backend.h"
#include "runtime/train/train_request.h"

namespace weft::runtime {

struct TrainBackend {
  training::Backend prepare;
  std::shared_ptr<SimBackend> simulated = {};  // null unless `--backend sim`

  /// Cycles of a step by ledger class, and "total"; empty unless simulated.
  std::map<std::string, std::uint64_t> step_cycles() const;
};

/// `progress`, if given, is called while a schedule is searched (MappingOptions::progress). Throws
/// InputError if this build or computer has no such backend.
TrainBackend make_train_backend(const TrainRequest& request,
                                std::function<void(double)> progress = {});

}  // namespace weft::runtime
