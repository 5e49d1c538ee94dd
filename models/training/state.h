// The complete state of a training run. Resuming from it with the same options gives bit-identical
// results.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/training/executor.h"
#include "models/training/loss_scale.h"

namespace weft::training {

/// Results of an epoch.
struct EpochRecord {
  std::uint64_t epoch = 0;  // 1 for the first; 0: before the first
  std::uint64_t step = 0;   // steps so far
  double train_loss = 0;
  double train_accuracy = 0;  // fraction of all images
  double test_loss = 0;
  double test_accuracy = 0;
  double loss_scale = 0;  // 0: the loss is not scaled
  double seconds = 0;     // for this epoch, including its evaluation
  /// Cycles that a simulated machine took for a step, by class of the ledger and in total; empty
  /// for other backends.
  std::map<std::string, std::uint64_t> cycles = {};

  friend bool operator==(const EpochRecord&, const EpochRecord&) = default;
};

struct TrainingState {
  NamedTensors values;         // parameters, statistics and the optimizer's states by name
  std::uint64_t epoch = 0;     // epochs finished
  std::uint64_t position = 0;  // steps of the current epoch
  std::uint64_t step = 0;      // all steps, including skipped ones
  std::uint64_t updates = 0;   // steps that changed the parameters
  LossScale loss_scale = {};
  double epoch_seconds = 0;         // spent on the current epoch so far
  std::vector<EpochRecord> log;     // one for each epoch
  std::vector<double> step_losses;  // one for each step

  friend bool operator==(const TrainingState&, const TrainingState&) = default;
};

}  // namespace weft::training
