#include "runtime/job/analytic_run.h"

#include <utility>

#include "base/stopwatch.h"
#include "compiler/onnx/located.h"
#include "runtime/compile.h"
#include "runtime/workload/run_options.h"

namespace weft::runtime {

AnalyticRun analytic_network(graph::Graph graph, const std::string& name,
                             const MachineConfig& config) {
  AnalyticRun done;
  done.graph = std::move(graph);
  onnx_io::located(name, [&] {
    CompiledNetwork compiled = compile(done.graph, config);
    done.notes = std::move(compiled.notes);
    done.program = std::move(compiled.program);
    NetworkRunOptions options;
    options.simulate.engine = Engine::kAnalytic;
    const Stopwatch watch;
    done.run = run_network(done.program, config, {}, options);
    done.wall_seconds = watch.seconds();
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

}  // namespace weft::runtime
