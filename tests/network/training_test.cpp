// Training graphs on small machines: all engines agree, and every layer has the values of the CPU
// reference in float64 within the roundings of the array's type.
#include <gtest/gtest.h>

#include "cli/network_check.h"
#include "tests/network/layer_check.h"
#include "tests/network/machine_runs.h"
#include "tests/network/training_graphs.h"

namespace weft::network::testing {
namespace {

/// Runs on all engines, and checks the layers.
void expect_layers_within_bounds(const NetworkProgram& program, const MachineConfig& config,
                                 const cli::NamedTensors& inputs) {
  run_everywhere(program, config, inputs);
  cli::NetworkRunOptions options;
  options.keep_results = true;
  const cli::NetworkRun run = cli::run_network(program, config, inputs, options);
  const cli::NetworkCheck check = cli::check_network(program, config, inputs, run);
  EXPECT_FALSE(check.mismatch.has_value()) << *check.mismatch << "\n" << layer_table(program);
  EXPECT_EQ(check.layers.size(), layers_of(program).size());
}

TEST(TrainingTest, TheMachineTakesAllOfAnMlp) {
  Random random(1);
  const TrainingCase training = mlp_training({32, 64, 32, 10}, random);
  const MachineConfig config = small_machine(ElementType::kBf16, 16, 16);
  const NetworkProgram program = compile_network(prepared(training.graph), config);
  std::cout << layer_table(program);
  EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
  expect_layers_within_bounds(program, config, training.inputs);
}

}  // namespace
}  // namespace weft::network::testing
