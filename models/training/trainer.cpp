#include "models/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "models/training/diagnosis.h"
#include "models/training/shuffle.h"

namespace weft::training {
namespace {

using graph::Graph;
using graph::Tensor;

std::vector<std::string> learnt_names(const autodiff::TrainingGraph& training) {
  std::vector<std::string> names;
  for (const autodiff::Learned& each : training.parameters) names.push_back(each.name);
  for (const autodiff::Statistic& each : training.statistics) names.push_back(each.name);
  return names;
}

/// Parameters and statistics from the network, and states of zeros.
NamedTensors first_values(const autodiff::TrainingGraph& training, const UpdateGraph& update) {
  NamedTensors values;
  for (const auto& each : training.parameters) values.emplace(each.name, each.initial.tensor());
  for (const auto& each : training.statistics) values.emplace(each.name, each.initial.tensor());
  for (const OptimizerState& each : update.states) values.emplace(each.name, Tensor(each.type));
  return values;
}

std::vector<std::int32_t> labels_of(const data::Examples& examples,
                                    std::span<const std::uint32_t> numbers) {
  std::vector<std::int32_t> labels;
  for (const std::uint32_t number : numbers) labels.push_back(examples.labels[number]);
  return labels;
}

/// The name of the first tensor that is not finite; nullopt if all are.
std::optional<std::string> not_finite(const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (!all_finite(tensor)) return name;
  }
  return std::nullopt;
}

std::uint64_t checked_steps(const data::Dataset& data, std::int64_t batch) {
  if (data.train.count() >= batch) {
    return static_cast<std::uint64_t>(data.train.count() / batch);
  }
  throw InputError(
      fmt::format("{}: has {} training images, less than a batch of {}; choose "
                  "a smaller --batch",
                  data.name, data.train.count(), batch));
}

}  // namespace

Trainer::Trainer(const Graph& network, const data::Dataset& data, const TrainerOptions& options,
                 Backend backend)
    : network_(network),
      data_(data),
      options_(options),
      backend_(std::move(backend)),
      shape_(classifier_shape(network)) {
  data::check_fits(data, shape_.image_shape, shape_.classes);
  steps_per_epoch_ = checked_steps(data, shape_.batch);
  prepare_gradients();
  update_ = update_graph(training_.parameters, options_.optimizer, options_.scaled_loss);
  run_update_ = backend_({PassKind::kUpdate, update_.graph, {}});
  run_evaluation_ = backend_(evaluation_graph(network_, learnt_));
  state_.values = first_values(training_, update_);
}

/// The loss scale is a constant of the graph, so a new scale needs a new graph.
void Trainer::prepare_gradients() {
  const double scale = options_.scaled_loss ? state_.loss_scale.factor : 1;
  if (scale == prepared_scale_) return;
  training_ = autodiff::training_graph(
      network_, {.loss_scale = static_cast<float>(scale), .loss_output = false});
  learnt_ = learnt_names(training_);
  run_gradients_ = backend_({PassKind::kGradients, training_.graph, learnt_});
  prepared_scale_ = scale;
}

void Trainer::restore(TrainingState state) {
  for (const auto& [name, tensor] : state_.values) {
    const auto found = state.values.find(name);
    if (found != state.values.end() && found->second.value_type() == tensor.value_type()) continue;
    throw InputError(
        fmt::format("has no {} for {}", to_string(tensor.value_type()), printable(name)));
  }
  if (state.values.size() != state_.values.size() || state.position > steps_per_epoch_) {
    throw InputError("belongs to another network or other data");
  }
  state_ = std::move(state);
  prepare_gradients();
}

std::span<const std::uint32_t> Trainer::next_batch() {
  if (order_epoch_ != state_.epoch) {
    order_ =
        epoch_order(static_cast<std::uint32_t>(data_.train.count()), options_.seed, state_.epoch);
    order_epoch_ = state_.epoch;
  }
  const auto batch = static_cast<std::size_t>(shape_.batch);
  return std::span(order_).subspan(state_.position * batch, batch);
}

NamedTensors Trainer::weights() const {
  NamedTensors weights;
  for (const std::string& name : learnt_) {
    weights.emplace(name, state_.values.at(name));
  }
  return weights;
}

NamedTensors Trainer::update_inputs(const NamedTensors& gradients) const {
  NamedTensors inputs =
      scalars(options_.optimizer, state_.updates + 1, options_.scaled_loss ? prepared_scale_ : 0);
  for (const auto& each : training_.parameters) {
    inputs.emplace(each.name, state_.values.at(each.name));
    inputs.emplace(each.gradient, gradients.at(each.gradient));
  }
  for (const auto& each : update_.states) inputs.emplace(each.name, state_.values.at(each.name));
  return inputs;
}

void Trainer::fail(const std::string& what, const NamedTensors& inputs) const {
  constexpr float kLargestHalf = 65504;
  const bool half = options_.scaled_loss;
  const std::string layer = first_beyond(training_.graph, inputs,
                                         half ? kLargestHalf : std::numeric_limits<float>::max());
  const char* const beyond = half ? "beyond fp16's 65504" : "that are not finite";
  const char* const within = half ? "no layer exceeds fp16's 65504" : "every layer is finite";
  const std::string where = layer.empty()
                                ? fmt::format("in float32 on the CPU {}", within)
                                : fmt::format("the first values {} come from {}", beyond, layer);
  throw InputError(fmt::format("step {} (epoch {}): {}; {}; choose a smaller --learning-rate",
                               state_.step + 1, state_.epoch + 1, what, where));
}

/// A scaled loss may be too large for the array. Then the step is skipped, and the next ones use a
/// smaller scale.
bool Trainer::left_out(const NamedTensors& inputs, const NamedTensors& gradients) {
  const auto bad = not_finite(gradients);
  if (!bad) return false;
  if (!options_.scaled_loss || !state_.loss_scale.reject()) {
    fail(fmt::format("{} is not finite", printable(*bad)), inputs);
  }
  return true;
}

void Trainer::commit(const NamedTensors& gradients, const NamedTensors& updates) {
  for (const auto& each : training_.parameters) {
    state_.values.at(each.name) = updates.at(updated(each.name));
  }
  for (const auto& each : update_.states) {
    state_.values.at(each.name) = updates.at(updated(each.name));
  }
  for (const auto& each : training_.statistics) {
    state_.values.at(each.name) = gradients.at(each.updated);
  }
  ++state_.updates;
  if (options_.scaled_loss) state_.loss_scale.accept();
}

double Trainer::step() {
  prepare_gradients();
  const std::span<const std::uint32_t> numbers = next_batch();
  NamedTensors inputs = weights();
  inputs.emplace(shape_.input, data::image_batch(data_.train, numbers, shape_.image_shape));
  inputs.emplace(training_.targets,
                 data::target_batch(data_.train, numbers, shape_.batch, shape_.classes));
  const NamedTensors gradients = run_gradients_(inputs);
  const double loss =
      measure(gradients.at(training_.logits), labels_of(data_.train, numbers)).loss();
  if (!std::isfinite(loss)) fail("the loss is not finite", inputs);
  if (!left_out(inputs, gradients)) {
    const NamedTensors updates = run_update_(update_inputs(gradients));
    if (const auto bad = not_finite(updates)) {
      fail(fmt::format("{} is not finite", printable(*bad)), inputs);
    }
    commit(gradients, updates);
  }
  ++state_.step;
  ++state_.position;
  state_.step_losses.push_back(loss);
  return loss;
}

const EpochRecord& Trainer::finish_epoch(std::map<std::string, std::uint64_t> cycles,
                                         double seconds) {
  const Metrics train = evaluate(run_evaluation_, shape_, data_.train, weights());
  const Metrics test = evaluate(run_evaluation_, shape_, data_.test, weights());
  if (!std::isfinite(train.loss()) || !std::isfinite(test.loss())) {
    throw InputError(
        fmt::format("epoch {} (step {}): the loss after this epoch is not finite; choose a smaller "
                    "--learning-rate",
                    state_.epoch + 1, state_.step));
  }
  ++state_.epoch;
  state_.position = 0;
  state_.log.push_back({.epoch = state_.epoch,
                        .step = state_.step,
                        .train_loss = train.loss(),
                        .train_accuracy = train.accuracy(),
                        .test_loss = test.loss(),
                        .test_accuracy = test.accuracy(),
                        .loss_scale = options_.scaled_loss ? state_.loss_scale.factor : 0,
                        .seconds = state_.epoch_seconds + seconds,
                        .cycles = std::move(cycles)});
  state_.epoch_seconds = 0;
  return state_.log.back();
}

Metrics evaluate(const Executor& run, const ClassifierShape& shape, const data::Examples& examples,
                 NamedTensors weights) {
  NamedTensors inputs = std::move(weights);
  std::vector<std::uint32_t> numbers;
  Metrics metrics;
  for (std::int64_t first = 0; first < examples.count(); first += shape.batch) {
    numbers.clear();
    const std::int64_t end = std::min(first + shape.batch, examples.count());
    for (std::int64_t i = first; i < end; ++i) numbers.push_back(static_cast<std::uint32_t>(i));
    inputs.insert_or_assign(shape.input, data::image_batch(examples, numbers, shape.image_shape));
    metrics.add(measure(run(inputs).at(shape.output), labels_of(examples, numbers)));
  }
  return metrics;
}

}  // namespace weft::training
