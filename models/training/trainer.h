// Training, step by step: a backend runs the gradients of a batch, then the optimizer's update.
//
//   Trainer trainer(network, data, options, backend);
//   while (trainer.state().epoch < epochs) {
//     while (!trainer.epoch_done()) trainer.step();
//     trainer.finish_epoch();                          The state may be saved between any two calls
//   }                                                  and restored into another Trainer.
//
// An epoch takes the images in the order of epoch_order(), one batch at a time. Graphs have static
// shapes, so an epoch does not use the last images if they do not fill a batch. The next epoch has
// another order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/autodiff/training_graph.h"
#include "models/data/dataset.h"
#include "models/training/classifier.h"
#include "models/training/executor.h"
#include "models/training/metrics.h"
#include "models/training/optimizer.h"
#include "models/training/state.h"

namespace weft::training {

struct TrainerOptions {
  OptimizerOptions optimizer = {};
  std::uint64_t seed = 1;    // of the order of the images
  bool scaled_loss = false;  // dynamic loss scaling, for fp16
};

class Trainer {
 public:
  /// Network and data must outlive the trainer. Throws InputError if the network is not a
  /// classifier, the data do not fit it, there are fewer images than a batch, an operator has no
  /// gradient, or the backend cannot run a graph.
  Trainer(const graph::Graph& network, const data::Dataset& data, const TrainerOptions& options,
          Backend backend);

  const TrainingState& state() const { return state_; }
  /// Replaces the state. Throws InputError unless it has the tensors of this network and optimizer.
  void restore(TrainingState state);

  std::uint64_t steps_per_epoch() const { return steps_per_epoch_; }
  bool epoch_done() const { return state_.position == steps_per_epoch_; }

  /// Trains on one batch. Returns the mean of its losses before the update. Throws InputError and
  /// leaves the state unchanged if the loss, a gradient or a parameter becomes infinite or NaN. The
  /// message names the step and the layer.
  double step();

  /// Measures train and test images with the current parameters, appends the record and begins the
  /// next epoch. `cycles` go into the record. Throws InputError and leaves the state unchanged if
  /// the loss is not finite.
  const EpochRecord& finish_epoch(std::map<std::string, std::uint64_t> cycles, double seconds);

  /// Adds to the time of the current epoch.
  void spend(double seconds) { state_.epoch_seconds += seconds; }

  /// The current parameters and statistics, by the names of the network's constants.
  NamedTensors weights() const;

 private:
  void prepare_gradients();
  std::span<const std::uint32_t> next_batch();
  NamedTensors update_inputs(const NamedTensors& gradients) const;
  void commit(const NamedTensors& gradients, const NamedTensors& updates);
  bool left_out(const NamedTensors& inputs, const NamedTensors& gradients);
  [[noreturn]] void fail(const std::string& what, const NamedTensors& inputs) const;

  const graph::Graph& network_;
  const data::Dataset& data_;
  TrainerOptions options_;
  Backend backend_;
  ClassifierShape shape_;
  autodiff::TrainingGraph training_;
  std::vector<std::string> learnt_;  // names of parameters and statistics
  UpdateGraph update_;
  Executor run_gradients_;
  Executor run_update_;
  Executor run_evaluation_;
  std::uint64_t steps_per_epoch_ = 0;
  double prepared_scale_ = 0;                      // the loss scale in run_gradients_
  std::optional<std::uint64_t> order_epoch_ = {};  // the epoch of order_
  std::vector<std::uint32_t> order_;
  TrainingState state_;
};

/// Loss and accuracy of all images, one batch at a time. Black images fill up the last batch and do
/// not count. `run` runs an evaluation_graph(), `weights` are its weights by name.
Metrics evaluate(const Executor& run, const ClassifierShape& shape, const data::Examples& examples,
                 NamedTensors weights);

}  // namespace weft::training
