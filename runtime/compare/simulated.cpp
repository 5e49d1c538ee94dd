#include "runtime/compare/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/figures.h"
#include "compiler/emit/matmul.h"
#include "runtime/analysis/network_energy.h"
#include "runtime/compile.h"
#include "runtime/job/one_layer.h"
#include "runtime/network_timing.h"
#include "runtime/run_bounds.h"
#include "runtime/workload/compiled_product.h"
#include "runtime/workload/memory_check.h"
#include "runtime/workload/operands.h"
#include "sim/memory/tensor_memory.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

constexpr std::string_view kDeviceAdvice = "choose smaller sizes, or leave the device out";

SimulateOptions options_for(bool with_values, const std::function<void(double)>& progress) {
  SimulateOptions options;
  options.engine = with_values ? Engine::kFast : Engine::kAnalytic;
  options.threads = with_values ? std::max(1U, std::thread::hardware_concurrency()) : 1;
  options.progress = progress;
  return options;
}

CompareRow row_of(const MachineConfig& machine, Cycle cycles, Engine engine) {
  CompareRow row;
  row.kind = RowKind::kSimulated;
  row.format = format_of(machine.dtype);
  row.title =
      fmt::format("{}, {} x {} array", machine.name, machine.array_rows, machine.array_cols);
  row.exact_cycles = static_cast<std::uint64_t>(cycles);
  row.clock_hz = static_cast<double>(machine.clock_hz);
  row.seconds = static_cast<double>(cycles) / *row.clock_hz;
  row.peak = 2.0 * machine.array_rows * machine.array_cols * *row.clock_hz;
  row.basis = fmt::format("one {} x {} array, engine {}", machine.array_rows, machine.array_cols,
                          to_string(engine));
  row.details = {
      {"engine", to_string(engine)}, {"rows", machine.array_rows}, {"cols", machine.array_cols}};
  return row;
}

void add_bound(CompareRow& row, const compiler::Bound& bound, Cycle cycles) {
  row.details["bound"] = nullptr;
  if (bound.cycles == 0) return;
  row.basis +=
      fmt::format(", {:.2f} times the bound, by {}", bound.ratio(cycles), to_string(bound.by));
  row.details["bound"] = {
      {"cycles", bound.cycles}, {"by", to_string(bound.by)}, {"ratio", bound.ratio(cycles)}};
}

TilingPlan plan_of(const MachineConfig& machine, const devices::GemmShape& shape) {
  return scheduled_plan({.m = shape.m, .k = shape.k, .n = shape.n}, machine);
}

/// Runs `program` on the product's values and returns its result.
Matrix run_with_values(const MachineConfig& machine, const Program& program,
                       const ProductValues& values, const SimulateOptions& options,
                       Result& result) {
  const Matrix a = values.operand(RandomStream::kA, machine.dtype);
  const Matrix b = values.operand(RandomStream::kB, machine.dtype);
  Matrix out(accumulator_type(machine.dtype), a.rows(), b.cols());
  TensorMemory memory(program);
  memory.bind(find_tensor(program, TensorRole::kActivation)->name, a);
  bind_weights(memory, program, b);
  memory.bind_result(find_tensor(program, TensorRole::kResult)->name, out);
  result = simulate(machine, program, &memory, options);
  return out;
}

/// Energy and area, if they were asked for; no energy if no part of the run is on the machine.
void add_energy(CompareRow& row, const DeviceRequest& request, const NetworkRun& run) {
  if (!request.energies) return;
  row.area_mm2 = area_mm2(*request.machine, *request.energies);
  if (run.total == 0) return;
  row.joules = network_energy(run, *request.machine, *request.energies).joules();
  row.details["energies"] = request.energies->name;
}

/// Notes the layers on the host. If no layer ran on the machine, removes the row's time, cycles and
/// error.
void add_host_layers(CompareRow& row, const NetworkRun& run) {
  const auto on_host =
      static_cast<std::uint64_t>(std::ranges::count_if(run.layers, &LayerRun::on_host));
  row.details["host_layers"] = on_host;
  if (run.total == 0) {
    row.seconds.reset();
    row.exact_cycles.reset();
    row.max_abs_error.reset();
    row.basis = fmt::format("no part of it runs on this machine: {} on the host",
                            counted(on_host, "layer"));
    return;
  }
  if (run.issued_macs == 0) row.basis += "; none of its products runs on this machine";
  if (on_host > 0) {
    row.basis +=
        fmt::format("; {} on the host, in time that is not simulated", counted(on_host, "layer"));
  }
}

}  // namespace

void check_simulated(const DeviceRequest& request, const devices::GemmShape& shape) {
  matmul_stream(plan_of(*request.machine, shape), *request.machine);
}

CompareRow simulate_product(const DeviceRequest& request, const devices::GemmShape& shape,
                            ProductValues* values, const std::function<void(double)>& progress) {
  const MachineConfig& machine = *request.machine;
  const TilingPlan plan = plan_of(machine, shape);
  const bool held = values != nullptr && most_instructions(plan) <= most_instructions_held();
  const SimulateOptions options = options_for(held, progress);
  Result result;
  std::optional<double> error;
  if (held) {
    const Program program = compile_product(plan.spec, machine, kDeviceAdvice).program;
    error = values->largest_error(run_with_values(machine, program, *values, options, result));
  } else {
    result = simulate(machine, *matmul_stream(plan, machine));
  }
  CompareRow row = row_of(machine, result.total, options.engine);
  row.shape = shape;
  row.flop = devices::useful_flop(shape);
  row.waste = plan.padding_waste();
  row.max_abs_error = error;
  row.basis += fmt::format(", {}", counted(plan.folds, "fold"));
  add_bound(row, product_bound(plan.spec, machine), result.total);
  if (values != nullptr && !held) row.basis += ", no values: its program does not fit in memory";
  row.details["folds"] = plan.folds;
  add_energy(row, request, one_layer_run(matmul_header(plan, machine), plan, std::move(result)));
  return row;
}

CompareRow simulate_network(const DeviceRequest& request, const graph::Graph& graph, double flop,
                            const MeasuredNetwork* values,
                            const std::function<void(double)>& progress) {
  const MachineConfig& machine = *request.machine;
  const NamedTensors* inputs = values == nullptr ? nullptr : &values->inputs;
  NetworkRunOptions options;
  options.simulate = options_for(values != nullptr, progress);
  const NetworkRun run =
      values == nullptr
          ? time_network(schedule(graph, machine).network, machine, progress)
          : run_network(compile(graph, machine, inputs).program, machine, *inputs, options);
  CompareRow row = row_of(machine, run.total, options.simulate.engine);
  if (run.issued_macs > 0) {
    row.flop = flop;
    row.waste = 1 - static_cast<double>(run.useful_macs) / static_cast<double>(run.issued_macs);
  }
  if (values != nullptr) row.max_abs_error = largest_output_error(run.outputs, values->exact);
  if (run.bound) add_bound(row, *run.bound, run.total);
  add_host_layers(row, run);
  add_energy(row, request, run);
  return row;
}

}  // namespace weft::runtime
