#include "cli/explain/analytic_run.h"

#include <chrono>
#include <utility>

#include "cli/common_options.h"
#include "compiler/onnx/located.h"
#include "runtime/network_pipeline.h"

namespace weft::cli {

AnalyticRun analytic_network(graph::Graph graph, const std::string& name,
                             const MachineConfig& config) {
  AnalyticRun done;
  done.graph = std::move(graph);
  onnx_io::located(name, [&] {
    runtime::PreparedNetwork prepared = runtime::prepare_network(done.graph, config, nullptr);
    done.notes = std::move(prepared.notes);
    done.program = runtime::compile_prepared(std::move(prepared), config);
    runtime::NetworkRunOptions options;
    options.simulate.engine = Engine::kAnalytic;
    const auto start = std::chrono::steady_clock::now();
    done.run = runtime::run_network(done.program, config, {}, options);
    done.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  return done;
}

AnalyticRun analytic_conv(const ConvSpec& spec, const MachineConfig& config) {
  return analytic_network(conv_graph(spec, config.dtype, kDefaultSeed), to_text(spec), config);
}

const network::MachineStep* array_step(const network::NetworkProgram& program) {
  if (program.steps.size() != 1) return nullptr;
  const auto* step = std::get_if<network::MachineStep>(&program.steps.front());
  const bool on_array =
      step != nullptr && step->layers.size() == 1 && step->layers.front().issued_macs > 0;
  return on_array ? step : nullptr;
}

}  // namespace weft::cli
