#include "runtime/sweep/points/point_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"
#include "base/stopwatch.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/network_bound.h"
#include "compiler/schedule/product/product_graph.h"
#include "runtime/analysis/network_energy.h"
#include "runtime/job/network_job.h"
#include "runtime/job/one_layer.h"
#include "runtime/job/product_run.h"
#include "runtime/network_timing.h"
#include "runtime/workload/compiled_product.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/run_values.h"
#include "runtime/workload/values_memory.h"

namespace weft::sweep {
namespace {

/// Neighbors in a sweep share a graph. A few are kept, for sweeps over batches or formats.
constexpr std::size_t kMostGraphs = 4;

void add_energy(Figures& figures, const runtime::NetworkRun& run, const MachineConfig& machine,
                const std::optional<EnergyTable>& table) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  figures.joules = figures.static_joules = figures.area_mm2 = kNone;
  if (!table) return;
  const runtime::NetworkEnergy energy = runtime::network_energy(run, machine, *table);
  figures.joules = energy.joules();
  figures.static_joules = energy.account.static_joules();
  figures.area_mm2 = energy.area_mm2.value_or(kNone);
}

Figures figures_of_run(const runtime::NetworkRun& run) {
  Figures figures;
  figures.cycles = run.total;
  figures.ledger = run.ledger;
  figures.path = run.path;
  if (run.bound) {
    figures.bound = run.bound->cycles;
    figures.bound_by = run.bound->by;
  }
  figures.traffic = run.traffic;
  figures.useful_macs = run.useful_macs;
  figures.issued_macs = run.issued_macs;
  figures.instructions = run.instructions;
  figures.programs = run.programs;
  for (const runtime::LayerRun& layer : run.layers) {
    ++(layer.on_host ? figures.host_layers : figures.layers);
  }
  return figures;
}

}  // namespace

Outcome PointRunner::run(const Point& point) {
  Outcome outcome;
  outcome.number = point.number;
  const Stopwatch watch;
  try {
    if (point.impossible) throw ConfigError(*point.impossible);
    outcome.figures = figures_of(point);
  } catch (const MissingError& error) {
    outcome.error = error.what();
    outcome.missing = true;
  } catch (const Error& error) {
    outcome.error = error.what();
  } catch (const std::bad_alloc&) {
    outcome.error = "not enough memory";
  }
  outcome.seconds = watch.seconds();
  return outcome;
}

Figures PointRunner::figures_of(const Point& point) {
  const runtime::NetworkRun run = run_of(point);
  Figures figures = figures_of_run(run);
  const std::optional<EnergyTable>& given = space_.request().energy;
  add_energy(figures, run, point.machine, given ? given : energy_table_of(point.machine));
  return figures;
}

runtime::NetworkRun PointRunner::run_of(const Point& point) {
  if (space_.request().engine == Engine::kAnalytic) return run_analytic(point);
  const Workload& workload = space_.request().workloads[point.workload];
  const bool product = std::holds_alternative<MatmulSpec>(workload.shape);
  return product ? run_product(point) : run_with_values(point);
}

graph::Graph PointRunner::built(const Point& point) const {
  const Workload& workload = space_.request().workloads[point.workload];
  if (std::holds_alternative<MatmulSpec>(workload.shape)) {
    return compiler::product_graph(point.product, point.machine.dtype);
  }
  if (const auto* conv = std::get_if<runtime::ConvSpec>(&workload.shape)) {
    return runtime::conv_graph(*conv, point.machine.dtype, runtime::kDefaultSeed);
  }
  runtime::NetworkRequest request = std::get<runtime::NetworkRequest>(workload.shape);
  if (point.batch) request.batch = point.batch;
  // The file was there when the sweep began.
  if (const char* problem = request.is_file ? input_path_problem(request.model) : nullptr) {
    throw MissingError(fmt::format("{}: {}", request.model, problem));
  }
  graph::Graph graph = runtime::load_network(request);
  runtime::require_computation(request, graph);
  return graph;
}

const PointRunner::Prepared& PointRunner::prepared(const Point& point) {
  const GraphKey key{point.workload, point.product, point.batch, point.machine.dtype};
  const auto known = std::ranges::find(prepared_, key, &Prepared::key);
  if (known != prepared_.end()) {
    prepared_.splice(prepared_.begin(), prepared_, known);
    return prepared_.front();
  }
  Prepared made{key, built(point), {}};
  made.network = runtime::prepare_network(made.graph, point.machine, nullptr);
  prepared_.push_front(std::move(made));
  if (prepared_.size() > kMostGraphs) prepared_.pop_back();
  return prepared_.front();
}

compiler::MappingOptions PointRunner::mapping(const Point& point) const {
  const Workload& workload = space_.request().workloads[point.workload];
  const auto* conv = std::get_if<runtime::ConvSpec>(&workload.shape);
  compiler::MappingOptions mapping =
      conv != nullptr ? runtime::mapping_of(*conv) : compiler::MappingOptions{};
  mapping.effort = space_.request().effort;
  return mapping;
}

runtime::NetworkRun PointRunner::run_analytic(const Point& point) {
  const runtime::PreparedNetwork& network = prepared(point).network;
  const compiler::ScheduledNetwork scheduled = compiler::schedule_network(
      network.graph, point.machine, {.calibrated = network.calibrated, .mapping = mapping(point)});
  return runtime::time_network(scheduled, point.machine);
}

runtime::NetworkRun PointRunner::run_product(const Point& point) const {
  runtime::CompiledProduct compiled = runtime::compile_product(point.product, point.machine);
  runtime::ProductJob job;
  job.machine = point.machine;
  job.program = std::move(compiled.program);
  job.plan = std::move(compiled.plan);
  job.options.engine = space_.request().engine;
  runtime::check_before_run(job);
  runtime::RunValues values(job.program, job.options, job.inputs, point.product.bias);
  runtime::ProductRun run = runtime::run_product(job, &values, {});
  if (run.check.mismatch) throw CheckError("the values differ from the reference's");
  runtime::NetworkRun figures =
      runtime::one_layer_run(job.program, job.plan, std::move(run.result));
  figures.bound = compiler::lower_bound(point.product, point.machine);
  return figures;
}

runtime::NetworkRun PointRunner::run_with_values(const Point& point) {
  const graph::Graph& graph = prepared(point).graph;
  runtime::check_inputs_fit(space_.axes().front().values[point.workload], graph);
  runtime::check_weights_fit(space_.axes().front().values[point.workload], graph);
  const runtime::NamedTensors inputs = runtime::network_inputs(graph, {}, std::nullopt, false);
  const runtime::CompiledNetwork compiled = runtime::compile(
      runtime::schedule(graph, point.machine, &inputs, mapping(point)), point.machine);
  runtime::RunOptions options;
  options.engine = space_.request().engine;
  const runtime::NetworkJob job{compiled.program, point.machine, inputs, options};
  double seconds = 0;
  runtime::NetworkRun run = runtime::run_network(job, {}, seconds);
  if (const auto check = runtime::check_run(job, run, {}); check.mismatch) {
    throw CheckError(*check.mismatch);
  }
  return run;
}

}  // namespace weft::sweep
