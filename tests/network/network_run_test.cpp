// Small whole networks on small machines: every engine computes the same bits in the same cycles,
// and what the CPU reference computes.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/network_runner.h"
#include "compiler/graph/builder.h"
#include "compiler/network/network_program.h"
#include "compiler/passes/decompose_recurrent.h"
#include "compiler/passes/optimize.h"
#include "models/networks/networks.h"
#include "sim/isa/text.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"

namespace weft {
namespace {

using graph::Tensor;

MachineConfig small_machine(std::uint32_t rows, std::uint32_t cols) {
  MachineConfig config;
  config.array_rows = rows;
  config.array_cols = cols;
  config.dtype = ElementType::kBf16;
  config.accumulator_rows = 256;
  config.unified_buffer_kib = 256;
  config.vector_latency_cycles = 4;
  return config;
}

Tensor random_tensor(const graph::ValueType& type, std::uint64_t seed) {
  Tensor tensor(type);
  if (type.type != graph::DataType::kFloat32) return tensor;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (float& value : tensor.mutable_data<float>()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 40U) - (1 << 23)) / (1 << 23);
  }
  return tensor;
}

void expect_close(const graph::Graph& graph, const MachineConfig& config, double tolerance) {
  const graph::Graph optimized = passes::optimize(passes::decompose_recurrent(graph), reference::evaluate);
  cli::NamedTensors inputs;
  for (const graph::ValueId input : graph.inputs) {
    inputs[graph.values[input].name] = random_tensor(graph.type(input), input + 7);
  }
  const auto expected = reference::run_graph(graph, inputs);
  const auto program = network::compile_network(optimized, config);
  if (std::getenv("DUMP"))
    for (const auto& step : program.steps)
      if (const auto* m = std::get_if<network::MachineStep>(&step)) printf("%s", disassemble(m->program).c_str());
  const auto run = cli::run_network(program, config, inputs, {});
  for (const auto& layer : run.layers) {
    printf("%-24s %-16s %8ld %s\n", layer.info.name.c_str(), layer.info.op.c_str(),
           long(layer.cycles), layer.info.note.c_str());
  }
  for (const auto& [name, tensor] : expected) {
    const auto actual = run.outputs.at(name).data<float>();
    double worst = 0;
    double scale = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (std::isnan(actual[i])) worst = 1e30;
      worst = std::max(worst, std::abs(double(actual[i]) - double(tensor.data<float>()[i])));
      scale = std::max(scale, std::abs(double(tensor.data<float>()[i])));
    }
    printf("worst %g of %g\n", worst, scale);
    if (actual.size() < 300) for (std::size_t i = 0; i < actual.size(); ++i) printf("%g/%g%s", double(actual[i]), double(tensor.data<float>()[i]), i%8==7 ? "\n" : " ");
    EXPECT_LT(worst, tolerance * scale);
  }
}

TEST(NetworkRunTest, RunsLeNet) {
  expect_close(networks::build_network("lenet5"), small_machine(8, 8), 0.05);
}

TEST(Scratch, Mask) {
  graph::Builder builder("mask");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {1, 3, 8, 16}});
  const auto w = builder.constant(random_tensor({graph::DataType::kFloat32, {16, 8}}, 3));
  const auto scores = builder.add(graph::Op::kMatMul, {x, w});
  const auto mask = builder.constant(random_tensor({graph::DataType::kFloat32, {1, 1, 8, 8}}, 5));
  const auto sum = builder.add(graph::Op::kAdd, {scores, mask});
  builder.output(builder.add(graph::Op::kNeg, {sum}), "y");
  expect_close(builder.finish(), small_machine(8, 8), 0.02);
}

TEST(Scratch, Named) {
  const char* name = std::getenv("NET");
  const auto rows = static_cast<std::uint32_t>(std::atoi(std::getenv("ROWS")));
  MachineConfig config = small_machine(rows, rows);
  config.unified_buffer_kib = static_cast<std::uint32_t>(std::atoi(std::getenv("KIB")));
  config.accumulator_rows = 4096;
  networks::NetworkOptions options;
  if (std::getenv("SEQ")) options.sequence = std::atoi(std::getenv("SEQ"));
  expect_close(networks::build_network(name, options), config, 0.2);
}

}  // namespace
}  // namespace weft
