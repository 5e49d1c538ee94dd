#include "tests/schedule/machine_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/quantization/calibrate.h"
#include "compiler/passes/quantization/quantize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "rtl/cosim/rtl_models.h"

namespace weft::compiler::testing {

MachineConfig small_machine(ElementType dtype, std::uint32_t rows, std::uint32_t cols) {
  MachineConfig config;
  config.array_rows = rows;
  config.array_cols = cols;
  config.dtype = dtype;
  config.accumulator_rows = 512;
  config.unified_buffer_kib = 512;
  config.vector_latency_cycles = 4;
  return config;
}

graph::Graph prepared(const graph::Graph& graph) {
  return passes::optimize(passes::decompose_recurrent(graph), reference::evaluate);
}

graph::Graph quantized(const graph::Graph& graph) {
  const graph::Graph simple =
      passes::simplify(passes::decompose_recurrent(graph), reference::evaluate);
  std::vector<passes::NamedTensors> samples;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    samples.push_back(networks::sample_inputs(simple, seed));
  }
  const auto run = [](const graph::Graph& each, const passes::NamedTensors& inputs) {
    return reference::run_graph(each, inputs);
  };
  const passes::CalibrationRanges ranges = passes::calibrate(simple, samples, run);
  return passes::optimize(passes::quantize(simple, ranges), reference::evaluate);
}

MachineConfig with_smallest_buffer(const graph::Graph& graph, MachineConfig config) {
  for (config.unified_buffer_kib = 1;; ++config.unified_buffer_kib) {
    try {
      compile_network(graph, config);
      return config;
    } catch (const ConfigError&) {
      if (config.unified_buffer_kib >= 512) throw;
    }
  }
}

std::vector<HostStep> host_steps(const NetworkProgram& program) {
  std::vector<HostStep> steps;
  for (const auto& step : program.steps) {
    if (const auto* host = std::get_if<HostStep>(&step)) steps.push_back(*host);
  }
  return steps;
}

std::vector<LayerInfo> layers_of(const NetworkProgram& program) {
  std::vector<LayerInfo> layers;
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    layers.insert(layers.end(), machine->layers.begin(), machine->layers.end());
  }
  return layers;
}

std::string layer_table(const NetworkProgram& program) {
  std::string text;
  for (const LayerInfo& layer : layers_of(program)) {
    text += layer.op + " " + layer.name + " " + to_string(layer.result) + " chunks " +
            std::to_string(layer.chunks) + " spilled " + std::to_string(layer.spilled.size()) +
            " " + layer.note + "\n";
  }
  for (const HostStep& step : host_steps(program)) {
    text +=
        "host: " + graph::node_label(program.graph.nodes[step.node]) + ": " + step.reason + "\n";
  }
  return text;
}

namespace {

void expect_same_cycles(const runtime::NetworkRun& a, const runtime::NetworkRun& b) {
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.ledger, b.ledger);
  EXPECT_EQ(a.traffic, b.traffic);
  ASSERT_EQ(a.layers.size(), b.layers.size());
  Cycle sum = 0;
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    EXPECT_EQ(a.layers[i].cycles, b.layers[i].cycles) << a.layers[i].info.name;
    EXPECT_EQ(a.layers[i].ledger, b.layers[i].ledger) << a.layers[i].info.name;
    EXPECT_EQ(a.layers[i].ledger.sum(), a.layers[i].cycles) << a.layers[i].info.name;
    sum += a.layers[i].cycles;
  }
  EXPECT_EQ(sum, a.total) << "the layers' cycles must add up to the total";
}

}  // namespace

void expect_same_layers(const std::vector<runtime::LayerRun>& layers,
                        const std::vector<runtime::LayerRun>& expected) {
  ASSERT_EQ(layers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const runtime::LayerRun& a = layers[i];
    const runtime::LayerRun& b = expected[i];
    SCOPED_TRACE(b.info.name);
    EXPECT_EQ(a.info.name, b.info.name);
    EXPECT_EQ(a.on_host, b.on_host);
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.ledger, b.ledger);
    EXPECT_EQ(a.info.fetches, b.info.fetches);
    EXPECT_EQ(a.info.chunks, b.info.chunks);
    EXPECT_EQ(a.info.vector_rows, b.info.vector_rows);
    EXPECT_EQ(a.info.weight_bytes, b.info.weight_bytes);
    EXPECT_EQ(a.info.input_bytes, b.info.input_bytes);
    EXPECT_EQ(a.info.output_bytes, b.info.output_bytes);
  }
}

namespace {

/// All but `fast` and `analytic`. ThreadSanitizer keeps memory for each coroutine that SystemC ever
/// had, so the runs of one property test would take more than 15 GB there.
std::vector<Engine> other_engines(const MachineConfig& config) {
#if defined(__SANITIZE_THREAD__)
  static_cast<void>(config);
  return {};
#else
  std::vector<Engine> engines = {Engine::kTimed, Engine::kStepped};
  if (has_rtl_array(config)) engines.push_back(Engine::kRtl);
  return engines;
#endif
}

}  // namespace

runtime::NetworkRun run_everywhere(const NetworkProgram& program, const MachineConfig& config,
                                   const runtime::NamedTensors& inputs) {
  const auto run = [&](Engine engine) {
    runtime::NetworkRunOptions options;
    options.simulate.engine = engine;
    return runtime::run_network(
        program, config, engine == Engine::kAnalytic ? runtime::NamedTensors() : inputs, options);
  };
  const runtime::NetworkRun fast = run(Engine::kFast);
  expect_same_cycles(fast, run(Engine::kAnalytic));
  for (const Engine engine : other_engines(config)) {
    SCOPED_TRACE(to_string(engine));
    const runtime::NetworkRun other = run(engine);
    expect_same_cycles(fast, other);
    EXPECT_EQ(fast.outputs, other.outputs);
    EXPECT_EQ(fast.values, other.values);
  }
  return fast;
}

}  // namespace weft::compiler::testing
