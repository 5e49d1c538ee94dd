// All that a training run is at a moment: with the same options, whoever has this goes on to the
// same bits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/training/executor.h"
#include "models/training/loss_scale.h"

namespace weft::training {

/// What is known after an epoch.
struct EpochRecord {
  std::uint64_t epoch = 0;  // 1 for the first; 0: before any
  std::uint64_t step = 0;   // steps so far
  double train_loss = 0;
  double train_accuracy = 0;  // shares
  double test_loss = 0;
  double test_accuracy = 0;
  double loss_scale = 0;  // 0: the loss is not scaled
  double seconds = 0;     // of this epoch, its evaluation included
  /// What a simulated machine took for a step, by class of the ledger and in all; empty elsewhere.
  std::map<std::string, std::uint64_t> cycles = {};

  friend bool operator==(const EpochRecord&, const EpochRecord&) = default;
};

struct TrainingState {
  NamedTensors values;         // parameters, statistics and the optimiser's states by name
  std::uint64_t epoch = 0;     // epochs finished
  std::uint64_t position = 0;  // steps of the current epoch
  std::uint64_t step = 0;      // steps in all, those left out included
  std::uint64_t updates = 0;   // steps that changed the parameters
  LossScale loss_scale = {};
  double epoch_seconds = 0;         // spent on the current epoch so far
  std::vector<EpochRecord> log;     // one for each epoch
  std::vector<double> step_losses;  // one for each step

  friend bool operator==(const TrainingState&, const TrainingState&) = default;
};

}  // namespace weft::training
