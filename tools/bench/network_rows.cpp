#include <memory>

#include "compiler/passes/optimize.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/network_runner.h"
#include "sim/config/config_keys.h"
#include "tools/bench/row.h"

namespace weft::bench {
namespace {

constexpr const char* kNetwork = "resnet50";

/// A network compiled for tpu-v2, with inputs.
struct NetworkBench {
  NetworkBench()
      : config(load_preset("tpu-v2")),
        graph(networks::build_network(kNetwork)),
        program(compiler::compile_network(passes::optimize(graph, reference::evaluate), config)),
        inputs(networks::sample_inputs(graph, 1)) {}

  MachineConfig config;
  graph::Graph graph;
  compiler::NetworkProgram program;
  runtime::NamedTensors inputs;
};

/// Both sides generate the weights again in each call, as each run of the command does.
Row values_row() {
  const auto bench = std::make_shared<NetworkBench>();
  return {
      .name = "fast, bf16, resnet50, one thread",
      .weft = [bench] { runtime::run_network(bench->program, bench->config, bench->inputs, {}); },
      .baseline = [bench] { reference::run_graph(bench->graph, bench->inputs); },
      .target = 3.0};
}

Row network_analytic_row() {
  return {.name = "build, compile, analytic, resnet50",
          .weft = run_network_analytically,
          .figure = Figure::kTime,
          .target = 0.100};
}

}  // namespace

void run_network_analytically() {
  const MachineConfig config = load_preset("tpu-v2");
  const compiler::NetworkProgram program = compiler::compile_network(
      passes::optimize(networks::build_network(kNetwork), reference::evaluate), config);
  runtime::NetworkRunOptions options;
  options.simulate.engine = Engine::kAnalytic;
  runtime::run_network(program, config, {}, options);
}

std::vector<Row> network_rows() {
  return {values_row(), network_analytic_row()};
}

}  // namespace weft::bench
