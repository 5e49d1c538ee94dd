// The exports on machines. In bf16 each layer lies within its rounding bound of what the CPU
// reference computes from the same operands; in int8 the results have the reference's bits.
// `analytic` counts the cycles of `fast`. The table of docs/onnx.md says what the host computes.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/quantization/calibrate.h"
#include "compiler/passes/quantization/quantize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_check.h"
#include "sim/config/config_keys.h"
#include "tests/onnx/exports/recorded.h"
#include "tests/schedule/machine_runs.h"

namespace weft::onnx_io::testing {
namespace {

using compiler::NetworkProgram;

/// An array that needs several folds for most products, and the array of a TPU.
std::map<std::string, MachineConfig> bf16_machines() {
  return {{"8 x 8", compiler::testing::small_machine(ElementType::kBf16, 8, 8)},
          {"tpu-v2", load_preset("tpu-v2")}};
}

/// Without a search for schedules, which only chooses among the mappings below.
NetworkProgram compile(graph::Graph graph, const MachineConfig& config,
                       compiler::MappingOptions mapping = {}) {
  compiler::CompileOptions options;
  options.mapping = std::move(mapping);
  options.mapping.effort = compiler::SearchEffort::kNone;
  return compiler::compile_network(std::move(graph), config, options);
}

NetworkProgram compile_bf16(const Form& form, const Values& values, const MachineConfig& config,
                            compiler::MappingOptions mapping = {}) {
  return compile(compiler::testing::prepared(import_form(form, recorded(), values.inputs)), config,
                 std::move(mapping));
}

/// Quantized by the ranges of the recorded inputs.
NetworkProgram compile_int8(const Form& form, const Values& values, const MachineConfig& config) {
  const auto on_cpu = [](const graph::Graph& graph, const passes::NamedTensors& inputs) {
    return reference::run_graph(graph, inputs);
  };
  const graph::Graph graph = import_form(form, recorded(), values.inputs);
  const graph::Graph simple =
      passes::simplify(passes::decompose_recurrent(graph), reference::evaluate);
  const std::array samples = {values.inputs};
  const passes::CalibrationRanges ranges = passes::calibrate(simple, samples, on_cpu);
  return compile(passes::optimize(passes::quantize(simple, ranges), reference::evaluate), config);
}

runtime::NetworkRun run(const NetworkProgram& program, const MachineConfig& config, Engine engine,
                        const runtime::NamedTensors& inputs) {
  runtime::NetworkRunOptions options;
  options.simulate.engine = engine;
  options.keep_results = engine == Engine::kFast;
  return runtime::run_network(program, config, inputs, options);
}

void expect_within_bounds(const NetworkProgram& program, const MachineConfig& config,
                          const runtime::NamedTensors& inputs) {
  const runtime::NetworkRun fast = run(program, config, Engine::kFast, inputs);
  const runtime::NetworkCheck check = runtime::check_network(program, config, inputs, fast);
  EXPECT_EQ(check.mismatch.value_or(""), "");
  EXPECT_FALSE(check.layers.empty());
  EXPECT_GT(fast.useful_macs, 0U);
  EXPECT_EQ(run(program, config, Engine::kAnalytic, {}).total, fast.total);
}

class ExportsMachineTest : public ::testing::TestWithParam<Form> {};

TEST_P(ExportsMachineTest, InBf16EachLayerIsWithinItsBound) {
  const Values values = read_values(*GetParam().network, recorded());
  for (const auto& [name, config] : bf16_machines()) {
    SCOPED_TRACE(name);
    for (const bool turned : {false, true}) {
      SCOPED_TRACE(turned ? "turned" : "straight");
      expect_within_bounds(compile_bf16(GetParam(), values, config, {.turned_values = turned}),
                           config, values.inputs);
    }
  }
}

TEST_P(ExportsMachineTest, InInt8ResultsHaveTheBitsOfTheReference) {
  const MachineConfig config = load_preset("tpu-v1");
  const Values values = read_values(*GetParam().network, recorded());
  if (GetParam().network->name == "detr") {
    EXPECT_THROW(compile_int8(GetParam(), values, config), InputError) << "is no longer refused";
    GTEST_SKIP() << "-inf, which masks the padding, has no range to quantize";
  }
  const NetworkProgram program = compile_int8(GetParam(), values, config);
  const runtime::NetworkRun fast = run(program, config, Engine::kFast, values.inputs);
  EXPECT_EQ(fast.outputs, reference::run_graph(program.graph, values.inputs));
  EXPECT_GT(fast.useful_macs, 0U);
}

INSTANTIATE_TEST_SUITE_P(Forms, ExportsMachineTest, ::testing::ValuesIn(forms()),
                         [](const auto& test) { return test.param.name(); });

// --- docs/onnx.md ---

std::string documentation() {
  std::ostringstream text;
  text << std::ifstream(WEFT_SOURCE_DIR "/docs/onnx.md").rdbuf();
  return text.str();
}

/// What the host computes: operators with how often, and each operator's reasons.
struct HostWork {
  std::size_t nodes = 0;
  std::map<std::string, std::size_t> counts;
  std::set<std::pair<std::string, std::string>> reasons;
};

HostWork host_work(const NetworkProgram& program) {
  HostWork work;
  for (const compiler::HostStep& step : compiler::testing::host_steps(program)) {
    const std::string op(to_string(program.graph.nodes[step.node].op));
    ++work.nodes;
    ++work.counts[op];
    work.reasons.emplace(op, step.reason);
  }
  return work;
}

/// "| swin | 143 | 120 | `Gather` 2, `Where` |": nodes after the passes, on the machine, on the
/// host.
std::string table_row(const Network& network, const NetworkProgram& program, const HostWork& work) {
  std::string host;
  for (const auto& [op, count] : work.counts) {
    if (!host.empty()) host += ", ";
    host += "`" + op + "`" + (count == 1 ? "" : " " + std::to_string(count));
  }
  const std::size_t nodes = program.graph.nodes.size();
  return "| " + network.name + " | " + std::to_string(nodes) + " | " +
         std::to_string(nodes - work.nodes) + " | " + (host.empty() ? "none" : host) + " |";
}

class ExportsDocTest : public ::testing::TestWithParam<Network> {};

TEST_P(ExportsDocTest, SaysWhatTheHostComputesAndWhy) {
  const std::string text = documentation();
  const Values values = read_values(GetParam(), recorded());
  const NetworkProgram program =
      compile_bf16({&GetParam(), "model"}, values, load_preset("tpu-v2"));
  const HostWork work = host_work(program);
  const std::string row = table_row(GetParam(), program, work);
  EXPECT_NE(text.find(row), std::string::npos) << row;
  for (const auto& [op, reason] : work.reasons) {
    const bool lacks = reason == "the machine has no " + op;
    EXPECT_NE(text.find(lacks ? "`" + op + "`" : "| " + reason + " |"), std::string::npos)
        << op << ": " << reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ExportsDocTest, ::testing::ValuesIn(networks()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft::onnx_io::testing
