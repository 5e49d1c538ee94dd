// Training, step by step: gradients of a batch, then the optimiser's update, each run by a backend.
//
//   Trainer trainer(network, data, options, backend);
//   while (trainer.state().epoch < epochs) {
//     while (!trainer.epoch_done()) trainer.step();
//     trainer.finish_epoch();                          between any two of these the state may be
//   }                                                  saved, and restored into another Trainer
//
// An epoch takes the images in the order of epoch_order(), a batch at a time. Graphs are static in
// shape, so the images that are left when no whole batch is are not used in this epoch; the next
// one has another order.
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
  /// Network and data must live as long as the trainer. Throws InputError: the network is no
  /// classifier, the data do not fit it, there are fewer images than a batch, an operator has no
  /// gradient, the backend cannot run a graph.
  Trainer(const graph::Graph& network, const data::Dataset& data, const TrainerOptions& options,
          Backend backend);

  const TrainingState& state() const { return state_; }
  /// Takes the place of the state. Throws InputError unless it has the tensors of this network and
  /// optimiser.
  void restore(TrainingState state);

  std::uint64_t steps_per_epoch() const { return steps_per_epoch_; }
  bool epoch_done() const { return state_.position == steps_per_epoch_; }

  /// One batch. Returns the mean of its losses before the update. Throws InputError, and leaves the
  /// state as it was, if the loss, a gradient or a parameter becomes infinite or NaN: the message
  /// names the step and the layer.
  double step();

  /// Measures train and test images with the parameters as they are, writes the record and begins
  /// the next epoch. `cycles` go into the record. Throws InputError, and leaves the state, if the
  /// loss is not finite.
  const EpochRecord& finish_epoch(std::map<std::string, std::uint64_t> cycles, double seconds);

  /// Adds to the time of the current epoch.
  void spend(double seconds) { state_.epoch_seconds += seconds; }

  /// Parameters and statistics as they are, by the names of the network's constants.
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
  double prepared_scale_ = 0;                      // for which run_gradients_ is
  std::optional<std::uint64_t> order_epoch_ = {};  // of which order_ is
  std::vector<std::uint32_t> order_;
  TrainingState state_;
};

/// Loss and accuracy of all images, a batch at a time; the last is filled up with black ones, which
/// do not count. `run` runs an evaluation_graph(), `weights` are its weights by name.
Metrics evaluate(const Executor& run, const ClassifierShape& shape, const data::Examples& examples,
                 NamedTensors weights);

}  // namespace weft::training
