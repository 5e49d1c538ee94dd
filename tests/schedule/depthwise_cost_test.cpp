// Cycle estimates that place a depthwise convolution, compared with simulations of both places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <regex>
#include <string>

#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/networks/sample_inputs.h"
#include "runtime/network_check.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

struct Place {
  double estimate = 0;
  double simulated = 0;

  double error() const { return std::abs(estimate - simulated) / simulated; }
};

struct Places {
  Place array;
  Place vector;
  bool on_vector = false;  // the compiler's own choice
};

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

/// Reads the note "depthwise on the vector unit: about A cycles; diagonal tiles would take B".
Places places_of(const graph::Graph& graph, const MachineConfig& config, bool replays) {
  Places places;
  const auto read = [](const NetworkProgram& program, double& first, double& second) {
    static const std::regex kNote("depthwise (.*): about ([0-9]+) cycles; .* take ([0-9]+)");
    std::smatch match;
    const std::string note = layers_of(program).at(0).note;
    ASSERT_TRUE(std::regex_match(note, match, kNote)) << note;
    first = std::stod(match[2]);
    second = std::stod(match[3]);
  };
  const auto forced = [&](bool on_vector) {
    return compile_network(
        graph, config, {.mapping = {.depthwise_on_vector_unit = on_vector, .replays = replays}});
  };
  const NetworkProgram on_array = forced(false);
  read(on_array, places.array.estimate, places.vector.estimate);
  places.array.simulated = static_cast<double>(simulated(on_array, config));
  places.vector.simulated = static_cast<double>(simulated(forced(true), config));
  const std::string note = layers_of(compile_network(graph, config)).at(0).note;
  places.on_vector = note.starts_with("depthwise on the vector unit");
  return places;
}

TEST(DepthwiseCostTest, TheEstimateIsNearTheCyclesAndThePlaceIsTheCheaperOne) {
  int clear = 0;
  int on_vector = 0;
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
          const graph::Graph graph = prepare(depthwise(channels, side, kernel, stride));
          // The estimate is of the first division of the buffer, without a search.
          const Places first = places_of(graph, config, false);
          EXPECT_LE(first.array.error(), 0.15)
              << first.array.estimate << " for " << first.array.simulated;
          EXPECT_LE(first.vector.error(), 0.15)
              << first.vector.estimate << " for " << first.vector.simulated;
          const Places places = places_of(graph, config, true);
          const double ratio = places.vector.simulated / places.array.simulated;
          on_vector += places.on_vector ? 1 : 0;
          if (ratio > 0.8 && ratio < 1.25) continue;
          ++clear;
          EXPECT_EQ(places.on_vector, ratio < 1);
        }
      }
    }
  }
  std::cout << clear << " clear choices, " << on_vector << " on the vector unit\n";
  EXPECT_GE(clear, 20);
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
