#include <memory>
#include <string>

#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/training/cpu_backend.h"
#include "models/training/trainer.h"
#include "runtime/sim_backend.h"
#include "sim/config/config_keys.h"
#include "tools/bench/row.h"

namespace weft::bench {
namespace {

constexpr training::OptimizerOptions kOptimizer = {.learning_rate = 0.05, .momentum = 0.9};

/// A training run that each call continues by one epoch: steps, then loss and accuracy of all
/// images.
class Training {
 public:
  Training(const std::string& network, bool simulated)
      : network_(networks::build_network(network, {.batch = 32})),
        trainer_(network_, digits_, {.optimizer = kOptimizer},
                 simulated ? training::Backend([this](training::PassGraph graph) {
                   return machine_.prepare(std::move(graph));
                 })
                           : training::Backend(training::prepare_on_cpu)) {}

  void epoch() {
    while (!trainer_.epoch_done()) trainer_.step();
    trainer_.finish_epoch({}, 0);
  }

 private:
  data::Dataset digits_ = data::digits8x8();
  runtime::SimBackend machine_{load_preset("tpu-v2"), {}};
  graph::Graph network_;
  training::Trainer trainer_;
};

Row simulated_row(const std::string& network) {
  const auto simulated = std::make_shared<Training>(network, true);
  const auto reference = std::make_shared<Training>(network, false);
  return {.name = "training on fast, bf16, an epoch of " + network,
          .weft = [simulated] { simulated->epoch(); },
          .baseline = [reference] { reference->epoch(); },
          .target = 5.0};
}

Row cpu_row() {
  return {.name = "training on the CPU, 20 epochs of digits-mlp",
          .weft =
              [] {
                Training training("digits-mlp", false);
                for (int epoch = 0; epoch < 20; ++epoch) training.epoch();
              },
          .figure = Figure::kTime,
          .target = 5.0};
}

}  // namespace

std::vector<Row> training_rows() {
  return {simulated_row("digits-mlp"), simulated_row("digits-cnn"), cpu_row()};
}

}  // namespace weft::bench
