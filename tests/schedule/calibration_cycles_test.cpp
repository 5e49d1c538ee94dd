// On an int8 machine, a float network is quantized with the ranges of the run's inputs. Without
// inputs, every range is [-1, 1]. Cycle counts must not depend on the ranges.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/networks/sample_inputs.h"
#include "runtime/compile.h"
#include "runtime/network_runner.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// Uniform from low to high.
struct Range {
  float low = 0;
  float high = 0;
};

/// Ranges with the zero point in the middle, at either end or exactly 0, and two empty ranges.
constexpr Range kRanges[] = {{-1, 1}, {0, 1}, {-3, 0},     {-1e-4F, 1e-4F}, {-1, 100},
                             {0, 0},  {2, 2}, {-127, 127}, {-128, 127}};

runtime::NamedTensors inputs_within(const graph::Graph& graph, const Range& range, Random& random) {
  runtime::NamedTensors inputs = networks::sample_inputs(graph, 1);
  for (auto& [name, tensor] : inputs) {
    if (tensor.type() != graph::DataType::kFloat32) continue;
    for (float& element : tensor.mutable_data<float>()) {
      const auto share = static_cast<float>(random.between(0, 1 << 20)) / (1 << 20);
      element = range.low + share * (range.high - range.low);
    }
  }
  return inputs;
}

MachineConfig slow_machine(std::uint32_t rows, std::uint32_t cols) {
  MachineConfig config = small_machine(ElementType::kInt8, rows, cols);
  config.memory_kind = MemoryKind::kSplit;
  config.memory_bytes_per_s = 800'000'000;
  config.memory_latency_cycles = 5;
  config.host_bytes_per_s = 500'000'000;
  config.host_latency_cycles = 7;
  return config;
}

std::vector<Cycle> layer_cycles(const graph::Graph& graph, const MachineConfig& config,
                                const runtime::NamedTensors* inputs, SearchEffort effort) {
  const runtime::PreparedNetwork prepared = runtime::prepare_network(graph, config, inputs);
  const NetworkProgram program = compile_network(
      prepared.graph, config, {.calibrated = prepared.calibrated, .mapping = {.effort = effort}});
  runtime::NetworkRunOptions options;
  options.simulate.engine = Engine::kAnalytic;
  std::vector<Cycle> cycles;
  for (const runtime::LayerRun& layer : runtime::run_network(program, config, {}, options).layers) {
    cycles.push_back(layer.cycles);
  }
  return cycles;
}

/// Products without a bias: the zero-point correction is the only content of their bias.
graph::Graph without_biases() {
  using graph::Op;
  networks::Layers net("without_biases", 9);
  const auto x = net.input("x", graph::DataType::kFloat32, {2, 3, 6, 6});
  const networks::Uniform spread{0, 0.5F};
  const auto filters = net.parameter("filters", {7, 3, 3, 3}, spread);
  const auto maps = net.add(Op::kConv, {x, filters}, {}, "conv");
  const auto rows = net.add(Op::kReshape, {maps, net.integers({2, 7, 16})});
  const auto product =
      net.add(Op::kMatMul, {rows, net.parameter("b", {16, 10}, spread)}, {}, "product");
  const auto w = net.parameter("w", {1, 18, 10}, spread);
  const auto r = net.parameter("r", {1, 18, 6}, spread);
  const auto states = net.add(Op::kGru, {product, w, r}, {{"hidden_size", 6}}, "gru");
  return net.finish(net.add(Op::kSqueeze, {states, net.integers({1})}), "out");
}

/// A chain of operators with ranges of all kinds. The zero points lie in the middle or at an end;
/// at an end, a following Relu changes nothing.
graph::Graph random_chain(std::uint64_t seed) {
  using graph::Op;
  Random random(seed);
  networks::Layers net("chain", seed);
  auto x = net.input("x", graph::DataType::kFloat32, {1, 3, 8, 8});
  const std::int64_t length = random.between(2, 7);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::string name = "node" + std::to_string(i);
    switch (random.between(0, 4)) {
      case 0:
        x = net.conv(x, {.channels = random.between(1, 6), .kernel = 3, .padding = 1}, name);
        break;
      case 1:
        x = net.pool(random.chance(50) ? Op::kMaxPool : Op::kAveragePool, x,
                     {.kernel = 2, .stride = 1}, name);
        break;
      case 2:
        x = net.add(Op::kAdd, {x, x}, {}, name);
        break;
      case 3:
        x = net.add(random.one_of({Op::kSigmoid, Op::kAbs, Op::kNeg}), {x}, {}, name);
        break;
      default:
        x = net.relu(x, name);
    }
  }
  return net.finish(net.gemm(net.flatten(x), 5, "classes", networks::Gain::kLinear), "out");
}

void expect_same_cycles_for_all_ranges(std::string_view name, const graph::Graph& graph,
                                       const MachineConfig& config, Random& random,
                                       SearchEffort effort = SearchEffort::kNone) {
  const std::vector<Cycle> expected = layer_cycles(graph, config, nullptr, effort);
  for (const Range& range : kRanges) {
    const runtime::NamedTensors inputs = inputs_within(graph, range, random);
    EXPECT_EQ(layer_cycles(graph, config, &inputs, effort), expected)
        << name << " on " << config.array_rows << " x " << config.array_cols << ", inputs from "
        << range.low << " to " << range.high;
  }
}

TEST(CalibrationCyclesTest, NoCycleDependsOnTheRangesThatANetworkIsQuantizedWith) {
  Random random(1);
  for (const auto& [rows, cols] : {std::pair{8U, 8U}, std::pair{5U, 3U}}) {
    const MachineConfig config = slow_machine(rows, cols);
    for (const SmallNetwork& network : small_networks()) {
      expect_same_cycles_for_all_ranges(network.name, network.build(), config, random);
    }
    expect_same_cycles_for_all_ranges("without biases", without_biases(), config, random);
  }
  expect_same_cycles_for_all_ranges("without biases, searched", without_biases(),
                                    slow_machine(8, 8), random, SearchEffort::kNormal);
}

TEST(CalibrationCyclesTest, NoCycleOfRandomChainsDependsOnTheRanges) {
  constexpr std::uint64_t kCases = 150;
  constexpr std::uint64_t kSearched = 15;  // one of so many; a search takes a hundred times as long
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const SearchEffort effort = seed % kSearched == 0 ? SearchEffort::kNormal : SearchEffort::kNone;
    expect_same_cycles_for_all_ranges("chain", random_chain(seed), slow_machine(8, 8), random,
                                      effort);
  }
}

}  // namespace
}  // namespace weft::compiler::testing
