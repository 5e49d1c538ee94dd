// Small whole networks on small machines. All engines agree in bits and cycles. int8 networks are
// bit-exact with the CPU reference; bf16 networks match it up to rounding.
#include "tests/schedule/small_networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>

#include "compiler/schedule/compile_network.h"
#include "models/networks/digits.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Tensor;

struct Machine {
  std::string_view name;
  std::uint32_t rows;
  std::uint32_t cols;
  MemoryKind memory = MemoryKind::kIdeal;
  bool double_buffer = true;
  bool smallest_buffer = false;
  std::uint32_t accumulator_rows = 512;
};

constexpr std::array<Machine, 7> kMachines = {{
    {"Square", 8, 8},
    {"Tall", 8, 4, MemoryKind::kShared},
    {"Wide", 4, 8, MemoryKind::kSplit},
    {"SquareSingleBuffered", 8, 8, MemoryKind::kShared, false},
    {"SquareWithSmallMemories", 8, 8, MemoryKind::kSplit, true, true, 16},
    {"TallWithSmallMemories", 8, 4, MemoryKind::kIdeal, true, true, 24},
    {"WideWithSmallMemories", 4, 8, MemoryKind::kShared, false, true, 20},
}};

MachineConfig config_of(const Machine& machine, ElementType dtype, const graph::Graph& graph) {
  MachineConfig config = small_machine(dtype, machine.rows, machine.cols);
  config.memory_kind = machine.memory;
  config.double_buffer = machine.double_buffer;
  config.accumulator_rows = machine.accumulator_rows;
  config.memory_bytes_per_s = 800'000'000;  // 8 bytes per cycle
  config.memory_latency_cycles = 11;
  config.host_bytes_per_s = 500'000'000;
  config.host_latency_cycles = 17;
  return machine.smallest_buffer ? with_smallest_buffer(graph, config) : config;
}

double magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Float64 reference results by output name.
std::map<std::string, Tensor> exact_outputs(const graph::Graph& graph,
                                            const runtime::NamedTensors& inputs) {
  return reference::run_graph(graph, inputs, {.double_precision = true});
}

void expect_near(const Tensor& actual, const Tensor& expected, double bound) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const auto exact = expected.data<double>();
  const double largest = magnitude(exact);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_LE(std::abs(static_cast<double>(actual.data<float>()[i]) - exact[i]), bound * largest)
        << "element " << i << " is " << actual.data<float>()[i] << " instead of " << exact[i];
  }
}

void expect_spills(const NetworkProgram& program) {
  const std::vector<LayerInfo> layers = layers_of(program);
  const auto spills = [](const LayerInfo& layer) { return !layer.spilled.empty(); };
  const auto streams = [&](const LayerInfo& layer) { return spills(layer) && layer.chunks > 1; };
  EXPECT_TRUE(std::ranges::any_of(layers, spills)) << layer_table(program);
  EXPECT_TRUE(std::ranges::any_of(layers, streams)) << layer_table(program);
}

class SmallNetworksTest : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  const SmallNetwork& network() const { return small_networks()[std::get<0>(GetParam())]; }
  const Machine& machine() const { return kMachines[std::get<1>(GetParam())]; }

  NetworkProgram compile(graph::Graph graph, ElementType dtype) {
    config_ = config_of(machine(), dtype, graph);
    NetworkProgram program = compile_network(std::move(graph), config_);
    const bool spills = dtype != ElementType::kInt8 || network().spills_in_int8;
    if (machine().smallest_buffer && spills) expect_spills(program);
    return program;
  }

  MachineConfig config_;
};

TEST_P(SmallNetworksTest, InBf16EnginesAgreeAndAreCloseToTheReference) {
  const graph::Graph graph = network().build();
  const NetworkProgram program = compile(prepared(graph), ElementType::kBf16);
  const auto inputs = networks::sample_inputs(graph, 7);
  const runtime::NetworkRun run = run_everywhere(program, config_, inputs);
  for (const auto& [name, expected] : exact_outputs(graph, inputs)) {
    expect_near(run.outputs.at(name), expected, network().bf16_bound);
  }
  EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
}

TEST_P(SmallNetworksTest, InInt8EnginesAgreeAndGiveTheBitsOfTheReference) {
  const graph::Graph graph = network().build();
  const NetworkProgram program = compile(quantized(graph), ElementType::kInt8);
  const auto inputs = networks::sample_inputs(graph, 7);
  const runtime::NetworkRun run = run_everywhere(program, config_, inputs);
  EXPECT_EQ(run.outputs, reference::run_graph(program.graph, inputs)) << layer_table(program);
  EXPECT_GT(run.useful_macs, 0U) << "the machine must do the matrix work";
}

INSTANTIATE_TEST_SUITE_P(All, SmallNetworksTest,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 5),
                                            ::testing::Range<std::size_t>(0, kMachines.size())),
                         [](const auto& test) {
                           return std::string(small_networks()[std::get<0>(test.param)].name) +
                                  "On" + std::string(kMachines[std::get<1>(test.param)].name);
                         });

struct Answer {
  std::size_t best = 0;
  double margin = 0;  // distance to the second best
};

template <class T>
Answer answer_of(std::span<const T> logits) {
  Answer answer;
  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < logits.size(); ++i) {
    if (logits[i] > logits[answer.best]) answer.best = i;
  }
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (i != answer.best) second = std::max(second, static_cast<double>(logits[i]));
  }
  answer.margin = static_cast<double>(logits[answer.best]) - second;
  return answer;
}

TEST(LeNetOnDigitsTest, AnswersAsTheReferenceWhereItsMarginIsLargerThanTheError) {
  constexpr std::int64_t kCount = 20;
  const graph::Graph graph = networks::build_network("lenet5", {.batch = kCount});
  const runtime::NamedTensors inputs = {{"image", networks::draw_digits(kCount, 5).images}};
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  const auto run =
      runtime::run_network(compile_network(prepared(graph), config), config, inputs, {});
  const Tensor exact = exact_outputs(graph, inputs).at("logits");
  const double error = 0.02 * magnitude(exact.data<double>());
  int clear = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Answer expected = answer_of(exact.data<double>().subspan(i * 10, 10));
    if (expected.margin <= 2 * error) continue;
    ++clear;
    EXPECT_EQ(answer_of(run.outputs.at("logits").data<float>().subspan(i * 10, 10)).best,
              expected.best);
  }
  std::cout << clear << " of " << kCount << " digits have a clear answer\n";
  EXPECT_GE(clear, kCount / 2);
}

}  // namespace
}  // namespace weft::compiler::testing
