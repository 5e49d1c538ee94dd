#include "runtime/job/analytic_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/stopwatch.h"
#include "compiler/onnx/located.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "runtime/workload/run_options.h"

namespace weft::runtime {

AnalyticRun analytic_network(graph::Graph graph, const std::string& name,
                             const MachineConfig& config, const compiler::MappingOptions& mapping) {
  AnalyticRun done;
  done.graph = std::move(graph);
  onnx_io::located(name, [&] {
    NetworkSchedule scheduled = schedule(done.graph, config, nullptr, mapping);
    done.notes = std::move(scheduled.notes);
    done.network = std::move(scheduled.network);
    const Stopwatch watch;
    done.run = time_network(done.network, config);
    done.wall_seconds = watch.seconds();
  });
  return done;
}

AnalyticRun analytic_conv(const ConvSpec& spec, const MachineConfig& config,
                          compiler::SearchEffort effort) {
  compiler::MappingOptions mapping = mapping_of(spec);
  mapping.effort = effort;
  return analytic_network(conv_graph(spec, config.dtype, kDefaultSeed), to_text(spec), config,
                          mapping);
}

const compiler::ScheduledSegment* array_segment(const compiler::ScheduledNetwork& network) {
  if (network.steps.size() != 1) return nullptr;
  const auto* only = std::get_if<compiler::ScheduledSegment>(&network.steps.front());
  if (only == nullptr || only->segment.layers.size() != 1) return nullptr;
  const auto is_on_array = [](const Mapping& mapping) {
    return mapping.unit == MappedUnit::kArray;
  };
  // Groups of images are parts of the layer, and so are its channels on either unit.
  const bool on_array = std::ranges::all_of(only->schedule.layers, [&](const auto& part) {
    return std::ranges::all_of(part.mappings, is_on_array);
  });
  return on_array ? only : nullptr;
}

}  // namespace weft::runtime
