// One training step (forward, backward and update) takes the same cycles and gives the same bits on
// every engine. Checks also what runs on the machine.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/training/cpu_backend.h"
#include "models/training/trainer.h"
#include "runtime/sim_backend.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

using training::PassGraph;
using training::PassKind;

/// An 8 x 8 machine with as many accumulators as the Verilog arrays have.
MachineConfig small_machine(ElementType type) {
  MachineConfig machine = load_machine("tiny");
  machine.dtype = type;
  machine.array_rows = machine.array_cols = 8;
  machine.accumulator_rows = 4096;
  machine.unified_buffer_kib = 64;
  return machine;
}

struct StepRun {
  training::TrainingState state;
  PassCost cost;
};

StepRun one_step(const std::string& name, const MachineConfig& machine, Engine engine) {
  const graph::Graph network = networks::build_network(name, {.batch = 8, .seed = 5});
  const data::Dataset digits = data::digits8x8();
  SimulateOptions options;
  options.engine = engine;
  SimBackend backend(machine, options);
  training::Trainer trainer(network, digits,
                            {.optimizer = {.learning_rate = 0.1, .momentum = 0.9},
                             .scaled_loss = machine.dtype == ElementType::kFp16},
                            [&](PassGraph graph) { return backend.prepare(std::move(graph)); });
  trainer.step();
  return {trainer.state(), backend.step_cost()};
}

class TrainEnginesTest : public testing::TestWithParam<std::tuple<const char*, ElementType>> {};

TEST_P(TrainEnginesTest, AgreeOnCyclesAndBits) {
  const auto& [network, type] = GetParam();
  const MachineConfig machine = small_machine(type);
  const StepRun fast = one_step(network, machine, Engine::kFast);
  EXPECT_EQ(fast.cost.ledger.sum(), fast.cost.total);
  EXPECT_EQ(fast.state.updates, 1U);
  std::vector<Engine> engines = {Engine::kTimed, Engine::kStepped};
  if (WEFT_WITH_RTL) engines.push_back(Engine::kRtl);
  for (const Engine engine : engines) {
    const StepRun other = one_step(network, machine, engine);
    EXPECT_EQ(other.state, fast.state) << to_string(engine);
    EXPECT_EQ(other.cost.total, fast.cost.total) << to_string(engine);
    EXPECT_EQ(other.cost.ledger, fast.cost.ledger) << to_string(engine);
  }
}

INSTANTIATE_TEST_SUITE_P(Digits, TrainEnginesTest,
                         testing::Combine(testing::Values("digits-mlp", "digits-cnn"),
                                          testing::Values(ElementType::kBf16, ElementType::kFp16)),
                         [](const auto& test) {
                           const bool mlp = std::string(std::get<0>(test.param)) == "digits-mlp";
                           return std::string(mlp ? "Mlp" : "Cnn") +
                                  (std::get<1>(test.param) == ElementType::kBf16 ? "Bf16" : "Fp16");
                         });

/// Given the same gradients, the machine's update gives the same bits as the CPU's.
TEST(TrainUpdateTest, HasTheBitsOfTheCpuOnEveryOptimizer) {
  const graph::Graph network = networks::build_network("digits-mlp", {.batch = 4, .seed = 3});
  const autodiff::TrainingGraph training = autodiff::training_graph(network);
  for (const auto method :
       {training::Method::kSgd, training::Method::kAdam, training::Method::kAdamW}) {
    const training::OptimizerOptions options = {
        .method = method, .learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.01};
    const auto update = training::update_graph(training.parameters, options, true);
    NamedTensors inputs = training::scalars(options, 3, 1024);
    for (const auto& each : training.parameters) {
      inputs.emplace(each.name, each.initial.tensor());
      inputs.emplace(each.gradient, each.initial.tensor());
    }
    for (const auto& each : update.states) {
      graph::Tensor tensor(each.type);
      for (float& x : tensor.mutable_data<float>()) x = 0.5F;
      inputs.emplace(each.name, std::move(tensor));
    }
    SimBackend backend(small_machine(ElementType::kBf16), {});
    const NamedTensors simulated = backend.prepare({PassKind::kUpdate, update.graph, {}})(inputs);
    const NamedTensors expected =
        training::prepare_on_cpu({PassKind::kUpdate, update.graph, {}})(inputs);
    EXPECT_EQ(simulated, expected) << to_string(method);
    EXPECT_EQ(backend.costs().at(PassKind::kUpdate).host_layers, std::vector<std::string>{});
  }
}

TEST(TrainCostTest, IsThatOfTheFirstRunInEveryLaterOne) {
  const MachineConfig machine = small_machine(ElementType::kBf16);
  const graph::Graph network = networks::build_network("digits-mlp", {.batch = 8});
  const data::Dataset digits = data::digits8x8();
  SimBackend backend(machine, {});
  training::Trainer trainer(network, digits, {},
                            [&](PassGraph graph) { return backend.prepare(std::move(graph)); });
  EXPECT_TRUE(backend.costs().empty());
  trainer.step();
  const PassCost first = backend.step_cost();
  trainer.step();
  EXPECT_GT(first.total, 0);
  EXPECT_EQ(backend.step_cost().total, first.total);
  EXPECT_EQ(backend.step_cost().ledger, first.ledger);
  EXPECT_EQ(first.path.sum(), first.total);
}

/// The search calls for progress; a plan that is followed does not.
TEST(TrainCostTest, IsThatOfOneSearchForEveryLossScale) {
  int searched = 0;
  SimBackend backend(small_machine(ElementType::kFp16), {},
                     {.progress = [&](double) { ++searched; }});
  const auto cycles_of = [&](const std::string& name, float scale) {
    const graph::Graph network = networks::build_network(name, {.batch = 8});
    const autodiff::TrainingGraph training =
        autodiff::training_graph(network, {.loss_scale = scale, .loss_output = false});
    NamedTensors inputs;
    for (const graph::ValueId input : training.graph.inputs) {
      const graph::Value& value = training.graph.values[input];
      inputs.emplace(value.name, graph::Tensor(value.type));
    }
    backend.prepare({PassKind::kGradients, training.graph, {}})(inputs);
    return backend.costs().at(PassKind::kGradients).total;
  };
  const Cycle first = cycles_of("digits-mlp", 65536);
  EXPECT_GT(std::exchange(searched, 0), 0);
  EXPECT_EQ(cycles_of("digits-mlp", 32768), first);
  EXPECT_EQ(searched, 0);
  EXPECT_GT(cycles_of("digits-cnn", 32768), first);
  EXPECT_GT(searched, 0);
}

}  // namespace
}  // namespace weft::runtime
