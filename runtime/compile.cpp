#include "runtime/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/graph/operator_table.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/quantization/calibrate.h"
#include "compiler/passes/quantization/quantize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/positions.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {
namespace {

using graph::Graph;
using graph::ValueId;

bool computes_quantized(const graph::Node& node) {
  return has(node.op, graph::Trait::kQuantized);
}

passes::CalibrationRanges unit_ranges(const Graph& graph) {
  passes::CalibrationRanges ranges;
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    if (!graph.is_constant(value)) ranges[graph.values[value].name] = {-1, 1};
  }
  return ranges;
}

passes::CalibrationRanges ranges_of(const Graph& graph, std::span<const NamedTensors> samples) {
  if (samples.empty()) return unit_ranges(graph);
  const auto run = [](const Graph& observed, const NamedTensors& sample) {
    return reference::run_graph(observed, sample);
  };
  return passes::calibrate(graph, samples, run);
}

std::string quantization_note(bool with_values) {
  if (with_values) {
    return "quantized to int8 for this array, with the ranges of this run's inputs; `weft "
           "quantize` takes sample inputs";
  }
  return "quantized to int8 for this array as if every value lay in [-1, 1]: cycles do not depend "
         "on ranges";
}

/// Leaves a quarter of the memory to the run, its values and other programs. Otherwise the system
/// could kill the process without a message.
std::uint64_t memory_for_programs() {
  return physical_memory_bytes() / 4 * 3;
}

/// Rejects infinities and NaN here, because calibration would blame a value computed from them.
void check_ranges(const NamedTensors& inputs) {
  for (const auto& [name, tensor] : inputs) {
    const auto element = first_not_finite(tensor);
    if (!element) continue;
    throw InputError(fmt::format(
        "input {}: {}: it has no range to quantize for an int8 array; give finite numbers",
        printable(name), *element));
  }
}

}  // namespace

bool is_quantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, computes_quantized);
}

Graph quantized_network(Graph graph, std::span<const NamedTensors> samples) {
  graph = passes::simplify(passes::decompose_recurrent(std::move(graph)), reference::evaluate);
  const passes::CalibrationRanges ranges = ranges_of(graph, samples);
  return passes::quantize(std::move(graph), ranges);
}

PreparedNetwork prepare_network(Graph graph, const MachineConfig& config,
                                const NamedTensors* inputs) {
  PreparedNetwork prepared;
  const bool int8 = config.dtype == ElementType::kInt8;
  const bool quantized = is_quantized(graph);
  if (int8 && !quantized) {
    if (inputs != nullptr) check_ranges(*inputs);
    graph = quantized_network(std::move(graph), {inputs, inputs == nullptr ? 0U : 1U});
    prepared.calibrated = is_quantized(graph);
    if (prepared.calibrated) prepared.notes.push_back(quantization_note(inputs != nullptr));
  } else {
    graph = passes::decompose_recurrent(std::move(graph));
  }
  if (!int8 && quantized) {
    prepared.notes.emplace_back(
        "the network is quantized: a floating-point array leaves its integer layers to the host; "
        "choose --array.dtype int8");
  }
  const auto zero_points =
      prepared.calibrated ? passes::ZeroPoints::kCalibrated : passes::ZeroPoints::kGiven;
  prepared.graph = passes::optimize(std::move(graph), reference::evaluate, zero_points);
  return prepared;
}

NetworkSchedule schedule(Graph graph, const MachineConfig& config, const NamedTensors* inputs,
                         const compiler::MappingOptions& mapping) {
  PreparedNetwork prepared = prepare_network(std::move(graph), config, inputs);
  NetworkSchedule scheduled;
  scheduled.notes = std::move(prepared.notes);
  scheduled.network = compiler::schedule_network(
      std::move(prepared.graph), config, {.calibrated = prepared.calibrated, .mapping = mapping});
  return scheduled;
}

NetworkSchedule schedule_as_planned(Graph graph, const MachineConfig& config,
                                    const NamedTensors* inputs, const compiler::NetworkPlan& plan) {
  PreparedNetwork prepared = prepare_network(std::move(graph), config, inputs);
  return {
      compiler::schedule_as_planned(std::move(prepared.graph), config, plan, prepared.calibrated),
      std::move(prepared.notes)};
}

std::uint64_t most_instructions_held() {
  return compiler::most_instructions(memory_for_programs());
}

CompiledNetwork compile(Graph graph, const MachineConfig& config, const NamedTensors* inputs) {
  return compile(schedule(std::move(graph), config, inputs), config);
}

CompiledNetwork compile(NetworkSchedule scheduled, const MachineConfig& config) {
  return {compiler::write_programs(std::move(scheduled.network), config, memory_for_programs()),
          std::move(scheduled.notes)};
}

}  // namespace weft::runtime
