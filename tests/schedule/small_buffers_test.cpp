// Networks in unified buffers that are too small for them. Each one is streamed bit-exactly on
// every engine, or refused by an error that says what must fit.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <regex>
#include <string>

#include "base/error.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

using networks::Layers;

ValueId random_layer(Layers& net, ValueId x, std::int64_t channels, const std::string& name,
                     Random& random) {
  const std::int64_t kernel = random.one_of<std::int64_t>({1, 3});
  switch (random.between(0, 3)) {
    case 0:
      return net.relu(net.conv(x,
                               {.channels = random.between(1, 24),
                                .kernel = kernel,
                                .stride = random.between(1, 2),
                                .padding = kernel / 2},
                               name),
                      name + ".relu");
    case 1:
      return net.conv(x, {.channels = channels, .kernel = 3, .padding = 1, .groups = channels},
                      name);
    case 2:
      return net.pool(random.chance(50) ? Op::kMaxPool : Op::kAveragePool, x,
                      {.kernel = 2, .stride = 1}, name);
    default:
      return net.add(Op::kAdd, {net.conv(x, {.channels = channels, .kernel = 1}, name), x}, {},
                     name + ".sum");
  }
}

graph::Graph random_network(std::uint64_t seed, Random& random) {
  Layers net("random", seed);
  ValueId x = net.input(
      "image", DataType::kFloat32,
      {random.between(1, 2), random.between(1, 20), random.between(6, 12), random.between(6, 12)});
  const std::int64_t layers = random.between(1, 3);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::int64_t channels = net.extent(x, 1);
    x = random_layer(net, x, channels, "layer" + std::to_string(i), random);
  }
  return net.finish(
      net.gemm(net.flatten(x), random.between(1, 40), "classes", networks::Gain::kLinear),
      "logits");
}

MachineConfig random_machine(Random& random) {
  MachineConfig config = small_machine(ElementType::kInt8, 4, 4);
  config.array_rows = random.one_of<std::uint32_t>({3, 4, 8, 32});
  config.array_cols = random.chance(60) ? config.array_rows : random.one_of<std::uint32_t>({4, 6});
  config.accumulator_rows = static_cast<std::uint32_t>(random.between(8, 64));
  config.unified_buffer_kib = static_cast<std::uint32_t>(random.between(1, 4));
  config.memory_kind = random.chance(50) ? MemoryKind::kIdeal : MemoryKind::kSplit;
  config.memory_bytes_per_s = 800'000'000;
  config.memory_latency_cycles = 5;
  config.host_bytes_per_s = 500'000'000;
  config.host_latency_cycles = 7;
  return config;
}

/// The error for a buffer that is too small names the layer, what must fit, the bytes needed and
/// the bytes available.
void expect_reason(const std::string& message) {
  static const std::regex kForm(
      "unified_buffer\\.kib = [0-9]+: too small for layer \\S+, which needs .+ at once: [0-9]+ "
      "rows "
      "or ([0-9]+) bytes, and there are [0-9]+ rows or ([0-9]+) bytes; enlarge the buffer");
  std::smatch match;
  ASSERT_TRUE(std::regex_match(message, match, kForm)) << message;
  EXPECT_GT(std::stoull(match[1]), std::stoull(match[2])) << message;
}

TEST(SmallBuffersTest, NetworksRunBitExactlyOnEveryEngineOrTheErrorSaysWhatMustFit) {
  const std::uint64_t seeds = draws(100, 200);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const graph::Graph graph = quantized(random_network(seed, random));
    const MachineConfig config = random_machine(random);
    NetworkProgram program;
    try {
      program = compile_network(graph, config);
    } catch (const ConfigError& error) {
      expect_reason(error.what());
      ++hits["refused"];
      continue;
    }
    const auto inputs = networks::sample_inputs(graph, seed);
    const runtime::NetworkRun run = run_everywhere(program, config, inputs);
    ASSERT_EQ(run.outputs, reference::run_graph(program.graph, inputs)) << layer_table(program);
    ++hits["ran"];
    for (const LayerInfo& layer : layers_of(program)) {
      if (!layer.spilled.empty()) ++hits["streamed " + layer.op];
    }
  }
  for (const auto& [name, count] : hits) std::cout << name << ": " << count << '\n';
  for (const char* name :
       {"ran", "refused", "streamed QLinearConv", "streamed QLinearMatMul", "streamed MaxPool"}) {
    EXPECT_GE(hits[name], 3) << name;
  }
}

// --- Pools over a whole image ---

/// 128 rows of four bf16 elements.
MachineConfig one_kibibyte(ElementType dtype) {
  MachineConfig config = small_machine(dtype, 4, 4);
  config.unified_buffer_kib = 1;
  return config;
}

struct LargePool {
  Op op;
  Shape image;           // [H, W]
  std::uint64_t others;  // rows needed beyond the window's
};

/// A pool over a whole image that the machine has computed.
ValueId add_pool(LayerCase& layer, const LargePool& pool, Random& random) {
  const ValueId x = layer.through_machine(
      layer.input(random.tensor<float>({1, 3, pool.image[0], pool.image[1]}, -9, 9)));
  if (pool.op == Op::kMaxPool || pool.op == Op::kAveragePool) {
    return layer.builder.add(pool.op, {x}, {{"kernel_shape", Ints(pool.image)}});
  }
  if (pool.op == Op::kReduceMean) return layer.builder.add(pool.op, {x}, {{"axes", Ints{2, 3}}});
  return layer.builder.add(pool.op, {x});
}

void expect_pool(const LargePool& pool, bool fits, Random& random) {
  SCOPED_TRACE(::testing::Message()
               << to_string(pool.op) << " of " << pool.image[0] << " x " << pool.image[1]);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = one_kibibyte(layer.dtype);
  const LayerOutcome outcome = run_layer(layer, add_pool(layer, pool, random), config);
  ASSERT_EQ(config.unified_buffer_kib, 1U);
  EXPECT_EQ(outcome.on_machine, fits);
  run_everywhere(outcome.program, config, layer.inputs);
  // The sums are exact, then rounded once to bf16.
  expect_within(outcome, layer, [](double exact) { return 0x1.01p-8 * std::abs(exact); });
  if (fits) return;
  const std::uint64_t rows =
      static_cast<std::uint64_t>(graph::element_count(pool.image)) + pool.others;
  ASSERT_EQ(host_steps(outcome.program).size(), 1U);
  EXPECT_EQ(host_steps(outcome.program)[0].reason,
            "a window and its result take " + std::to_string(rows) + " rows or " +
                std::to_string(8 * rows) +
                " bytes at once, and the unified buffer has 128 rows or 1024 bytes");
}

// Besides the window, a pool needs one row for the result. An average also needs a row of sums and
// one of divisors, each two buffer rows wide.
TEST(SmallBuffersTest, PoolsAreTheHostsFromTheFirstRowOnThatDoesNotFit) {
  Random random(1);
  expect_pool({Op::kGlobalMaxPool, {127, 1}, 1}, true, random);
  expect_pool({Op::kGlobalMaxPool, {16, 8}, 1}, false, random);
  expect_pool({Op::kMaxPool, {1, 127}, 1}, true, random);
  expect_pool({Op::kMaxPool, {8, 16}, 1}, false, random);
  expect_pool({Op::kGlobalAveragePool, {41, 3}, 5}, true, random);
  expect_pool({Op::kGlobalAveragePool, {4, 31}, 5}, false, random);
  expect_pool({Op::kAveragePool, {123, 1}, 5}, true, random);
  expect_pool({Op::kAveragePool, {40, 40}, 5}, false, random);
  expect_pool({Op::kReduceMean, {3, 41}, 5}, true, random);
  expect_pool({Op::kReduceMean, {31, 4}, 5}, false, random);
}

TEST(SmallBuffersTest, AveragesOfDequantizedImagesThatDoNotFitAreTheHosts) {
  Random random(2);
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = one_kibibyte(layer.dtype);
  const ValueId x = layer.dequantized(random_bytes({1, 3, 20, 20}, false, random), 0.02, random);
  const ValueId mean = layer.builder.add(Op::kGlobalAveragePool, {x});
  const LayerOutcome outcome = run_layer(layer, layer.quantized(mean, false, 0.03, random), config);
  ASSERT_EQ(config.unified_buffer_kib, 1U);
  EXPECT_FALSE(outcome.on_machine);
  // 400 terms below 11 add to at most 4400. 401 roundings of 2^-24 * 4400 are less than 2^-3; the
  // mean divides this by 400.
  expect_quantized_within(outcome, layer, [](double) { return 0x1p-11; });
}

struct LeastBuffer {
  std::string_view network;
  std::uint32_t kib;
};

/// The biases of the result's rows take more than the buffer if the weights stream.
TEST(SmallBuffersTest, AnAlternativeThatDoesNotFitIsLeftOut) {
  MachineConfig config = small_machine(ElementType::kBf16, 4, 4);
  config.unified_buffer_kib = 1;
  Random random(1);
  LayerCase layer(config.dtype);
  const ValueId x = layer.through_machine(layer.input(random.tensor<float>({2, 8}, -8, 8)));
  const ValueId y =
      layer.builder.add(Op::kGemm, {x, layer.constant(random.tensor<float>({8, 300}, -8, 8)),
                                    layer.constant(random.tensor<float>({300}, -8, 8))});
  layer.builder.output(y, "y");
  const graph::Graph graph = prepared(layer.builder.finish());
  const ScheduledNetwork scheduled = schedule_network(graph, config);
  EXPECT_EQ(scheduled.choices.turned_results, std::nullopt);
  CompileOptions turned;
  turned.mapping.turned_results = true;
  EXPECT_THROW(schedule_network(graph, config, turned), ConfigError);
}

// Streaming by tiles and planes made this possible; before it, these needed 8 and 4 KiB.
TEST(SmallBuffersTest, NetworksRunOnTinyInOneKibibyte) {
  for (const LeastBuffer& least : {LeastBuffer{"mlp", 1}, LeastBuffer{"lenet5", 1}}) {
    SCOPED_TRACE(least.network);
    MachineConfig config = load_preset("tiny");
    const graph::Graph graph = quantized(networks::build_network(least.network));
    config = with_smallest_buffer(graph, config);
    EXPECT_EQ(config.unified_buffer_kib, least.kib);
  }
}

}  // namespace
}  // namespace weft::compiler::testing
