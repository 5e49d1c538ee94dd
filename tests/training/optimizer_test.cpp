// Optimizers compared bit by bit with independent plain loops over floats, for fifty steps. The
// loops follow the formulas of optimizer.h, with one rounding per operation.
#include "models/training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "base/error.h"
#include "models/training/cpu_backend.h"
#include "models/training/executor.h"

namespace weft::training {
namespace {

using graph::Tensor;
using Floats = std::vector<float>;

constexpr int kSteps = 50;

autodiff::Learned learned(const std::string& name, graph::Shape shape) {
  const graph::ValueType type{graph::DataType::kFloat32, std::move(shape)};
  return {name, type, Tensor(type), "gradient/" + name};
}

struct Oracle {
  OptimizerOptions options;
  Floats p;
  Floats velocity;
  Floats first;
  Floats second;

  void sgd(const Floats& gradient, float scale) {
    const auto rate = static_cast<float>(options.learning_rate);
    const auto momentum = static_cast<float>(options.momentum);
    const auto decay = static_cast<float>(options.weight_decay);
    for (std::size_t i = 0; i < p.size(); ++i) {
      float g = gradient[i] * scale;
      if (options.weight_decay != 0) g = g + p[i] * decay;
      float direction = g;
      if (options.momentum != 0) {
        velocity[i] = velocity[i] * momentum + g;
        direction = options.nesterov ? velocity[i] * momentum + g : velocity[i];
      }
      p[i] = p[i] - direction * rate;
    }
  }

  void adam(const Floats& gradient, float scale, int step) {
    const bool decoupled = options.method == Method::kAdamW;
    const auto beta1 = static_cast<float>(options.beta1);
    const auto beta2 = static_cast<float>(options.beta2);
    const auto rest1 = static_cast<float>(1 - options.beta1);
    const auto rest2 = static_cast<float>(1 - options.beta2);
    double power1 = 1;
    double power2 = 1;
    for (int i = 0; i < step; ++i) power1 *= options.beta1, power2 *= options.beta2;
    const auto step_size = static_cast<float>(options.learning_rate / (1 - power1));
    const auto root_scale = static_cast<float>(1 / std::sqrt(1 - power2));
    const auto kept = static_cast<float>(1 - options.learning_rate * options.weight_decay);
    for (std::size_t i = 0; i < p.size(); ++i) {
      float g = gradient[i] * scale;
      if (options.weight_decay != 0 && !decoupled) {
        g = g + p[i] * static_cast<float>(options.weight_decay);
      }
      if (options.weight_decay != 0 && decoupled) p[i] = p[i] * kept;
      first[i] = first[i] * beta1 + g * rest1;
      second[i] = second[i] * beta2 + g * rest2 * g;
      const float root = std::sqrt(second[i]) * root_scale;
      p[i] = p[i] - first[i] * step_size / (root + static_cast<float>(options.epsilon));
    }
  }

  void step(const Floats& gradient, float scale, int number) {
    if (options.method == Method::kSgd) return sgd(gradient, scale);
    adam(gradient, scale, number);
  }
};

Floats values(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

/// Runs both for fifty steps with random gradients of many sizes.
void compare(const OptimizerOptions& options, double loss_scale) {
  constexpr unsigned kSeed = 20250117;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto draw = [&] {
    const auto unit = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
    return std::ldexp(unit, static_cast<int>(random() % 24) - 20);
  };
  const std::size_t size = 12;
  const std::vector<autodiff::Learned> parameters = {learned("w", {3, 4})};
  const UpdateGraph update = update_graph(parameters, options, loss_scale != 0);
  const Executor run = prepare_on_cpu({PassKind::kUpdate, update.graph, {}});
  Oracle oracle{options, Floats(size), Floats(size), Floats(size), Floats(size)};
  for (float& x : oracle.p) x = draw();
  NamedTensors state = {{"w", Tensor::of<float>({3, 4}, oracle.p)}};
  for (const OptimizerState& each : update.states) state.emplace(each.name, Tensor(each.type));
  std::set<float> seen;
  for (int step = 1; step <= kSteps; ++step) {
    Floats gradient(size);
    for (float& x : gradient) x = draw();
    NamedTensors inputs = state;
    inputs.emplace("gradient/w", Tensor::of<float>({3, 4}, gradient));
    inputs.merge(scalars(options, static_cast<std::uint64_t>(step), loss_scale));
    const NamedTensors outputs = run(inputs);
    for (auto& [name, tensor] : state) tensor = outputs.at(updated(name));
    oracle.step(gradient, loss_scale == 0 ? 1.0F : static_cast<float>(1 / loss_scale), step);
    ASSERT_EQ(values(state.at("w")), oracle.p) << "step " << step;
    seen.insert(oracle.p.begin(), oracle.p.end());
  }
  EXPECT_GT(seen.size(), size * kSteps / 2);  // the parameters moved
}

TEST(OptimizerTest, SgdIsTheLoop) {
  compare({.learning_rate = 0.1}, 0);
}

TEST(OptimizerTest, SgdWithMomentumAndDecayIsTheLoop) {
  compare({.learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-2}, 0);
}

TEST(OptimizerTest, NesterovIsTheLoop) {
  compare({.learning_rate = 0.05, .momentum = 0.9, .nesterov = true}, 0);
}

TEST(OptimizerTest, AdamIsTheLoop) {
  compare({.method = Method::kAdam, .learning_rate = 0.001}, 0);
}

TEST(OptimizerTest, AdamWithDecayInTheGradientIsTheLoop) {
  compare({.method = Method::kAdam, .learning_rate = 0.01, .weight_decay = 0.1}, 0);
}

TEST(OptimizerTest, AdamWithDecayOfItsOwnIsTheLoop) {
  compare({.method = Method::kAdamW, .learning_rate = 0.01, .weight_decay = 0.1}, 0);
}

TEST(OptimizerTest, DividesTheLossScaleOutFirst) {
  compare({.learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-2}, 1024);
  compare({.method = Method::kAdam, .learning_rate = 0.01, .weight_decay = 0.1}, 65536);
}

TEST(OptimizerTest, TakesTheFirstStepOfAdamByTheLearningRate) {
  // The first step is the learning rate for any gradient (Kingma and Ba, section 2.1).
  const std::vector<autodiff::Learned> parameters = {learned("w", {2})};
  const OptimizerOptions options = {.method = Method::kAdam, .learning_rate = 0.25};
  const UpdateGraph update = update_graph(parameters, options, false);
  NamedTensors inputs = scalars(options, 1, 0);
  inputs.emplace("w", Tensor::vector<float>({1, 1}));
  inputs.emplace("gradient/w", Tensor::vector<float>({1000, -0.001F}));
  for (const auto& each : update.states) inputs.emplace(each.name, Tensor(each.type));
  const Floats after =
      values(prepare_on_cpu({PassKind::kUpdate, update.graph, {}})(inputs).at("updated/w"));
  EXPECT_NEAR(after[0], 0.75F, 1e-4F);
  EXPECT_NEAR(after[1], 1.25F, 1e-4F);
}

TEST(OptimizerTest, UpdatesEveryParameterWithOneSetOfScalars) {
  const std::vector<autodiff::Learned> parameters = {learned("a", {2}), learned("b", {3, 1})};
  const UpdateGraph update = update_graph(parameters, {.momentum = 0.5}, true);
  EXPECT_EQ(update.states.size(), 2U);
  EXPECT_EQ(update.graph.outputs.size(), 4U);
  EXPECT_EQ(update.graph.inputs.size(), 2U * 3U + 2U);
}

TEST(OptimizerTest, RefusesNamesThatClash) {
  const std::vector<autodiff::Learned> parameters = {learned("a", {2}), learned("gradient/a", {2})};
  EXPECT_THROW(update_graph(parameters, {}, false), InputError);
}

}  // namespace
}  // namespace weft::training
