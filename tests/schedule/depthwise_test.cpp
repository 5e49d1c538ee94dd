// Depthwise convolutions on the array and on the vector unit.
#include <gtest/gtest.h>

#include <iostream>

#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/networks/sample_inputs.h"
#include "runtime/network_check.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

graph::Graph depthwise(std::int64_t channels, std::int64_t side, std::int64_t kernel,
                       std::int64_t stride) {
  networks::Layers net("depthwise", 1);
  const auto x = net.input("image", graph::DataType::kFloat32, {1, channels, side, side});
  return net.finish(net.conv(x,
                             {.channels = channels,
                              .kernel = kernel,
                              .stride = stride,
                              .padding = kernel / 2,
                              .groups = channels},
                             "conv"),
                    "y");
}

Cycle simulated(const NetworkProgram& program, const MachineConfig& config) {
  runtime::NetworkRunOptions options;
  options.simulate.engine = Engine::kAnalytic;
  return runtime::run_network(program, config, {}, options).total;
}

TEST(DepthwiseTest, RunsWhereItTakesFewerCycles) {
  int on_array = 0;
  int on_vector = 0;
  const bool is_quick = draws(1, 0) == 1;
  for (const char* machine : {"tiny", "tpu-v1", "edge-tpu", "tpu-v2"}) {
    const MachineConfig config = load_preset(machine);
    const auto prepare = config.dtype == ElementType::kInt8 ? quantized : prepared;
    const std::int64_t width = config.array_rows;
    for (const std::int64_t channels : {width / 2, width, 3 * width}) {
      for (const std::int64_t side : {5, 14, 28, 56}) {
        for (const std::int64_t kernel : {3, 5}) {
          const std::int64_t stride = 1 + (side / 14) % 2;
          SCOPED_TRACE(::testing::Message() << machine << ' ' << channels << " channels of " << side
                                            << " x " << side << ", kernel " << kernel);
          if (channels * side * side > 500'000 || (width == 4 && side > 28)) continue;
          if (is_quick && (kernel == 3) == (stride == 1)) continue;
          const graph::Graph graph = prepare(depthwise(channels, side, kernel, stride));
          const auto cycles = [&](const MappingOptions& mapping) {
            return simulated(compile_network(graph, config, {.mapping = mapping}), config);
          };
          const Cycle array = cycles({.depthwise_on_vector_unit = false});
          const Cycle vector = cycles({.depthwise_on_vector_unit = true});
          const Cycle chosen = cycles({});
          EXPECT_LE(chosen, array);
          EXPECT_LE(chosen, vector);
          on_array += array < vector ? 1 : 0;
          on_vector += vector < array ? 1 : 0;
        }
      }
    }
  }
  std::cout << on_array << " times on the array, " << on_vector << " on the vector unit\n";
  EXPECT_GE(on_array, 5);
  EXPECT_GE(on_vector, 5);
}

// The residual's last use as an operand comes before the layer that adds it. Until that layer has
// read it, its rows must not be given to another value.
TEST(DepthwiseTest, AResidualFromTheMachineStaysUntilItIsAdded) {
  networks::Layers net("depthwise", 1);
  const auto x = net.input("image", graph::DataType::kFloat32, {1, 8, 6, 6});
  const auto residual = net.relu(x, "residual");
  const auto other = net.add(graph::Op::kSigmoid, {residual}, {}, "other");
  const auto conv =
      net.conv(other, {.channels = 8, .kernel = 3, .stride = 1, .padding = 1, .groups = 8}, "conv");
  const auto sum = net.add(graph::Op::kAdd, {conv, residual}, {}, "sum");
  const graph::Graph graph = prepared(net.finish(sum, "y"));
  for (const bool on_vector : {false, true}) {
    SCOPED_TRACE(on_vector ? "vector unit" : "array");
    const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
    const NetworkProgram program =
        compile_network(graph, config, {.mapping = {.depthwise_on_vector_unit = on_vector}});
    EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
    const auto inputs = networks::sample_inputs(graph, 1);
    run_everywhere(program, config, inputs);
    runtime::NetworkRunOptions options;
    options.keep_results = true;
    const auto run = runtime::run_network(program, config, inputs, options);
    const auto check = runtime::check_network(program, config, inputs, run);
    EXPECT_FALSE(check.mismatch) << *check.mismatch;
  }
}

}  // namespace
}  // namespace weft::compiler::testing
