#include "runtime/compare/cpu_device.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "base/figures.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/measure/cpu_rates.h"
#include "runtime/measure/repeated.h"
#include "runtime/measure/sgemm.h"

namespace weft::runtime {
namespace {

/// Adds the peak of `cores` cores and a sentence about its source. The vectors per clock are timed;
/// the clock of one core is assumed for all.
void add_peak(CompareRow& row, std::uint32_t cores) {
  const auto unit = vector_unit();
  if (!unit || !row.clock_hz) return;
  const std::uint32_t flop = 2 * unit->lanes * unit->fmas_per_clock;
  row.peak = static_cast<double>(cores) * flop * *row.clock_hz;
  row.basis +=
      fmt::format("; peak {} x {} FLOP a clock ({} of {} floats, timed)", counted(cores, "core"),
                  flop, counted(unit->fmas_per_clock, "FMA"), unit->lanes);
  row.details["cores"] = cores;
  row.details["flop_per_clock_and_core"] = flop;
  row.details["instruction_set"] = unit->instruction_set;
}

/// `cores`: the number of cores at work.
CompareRow measured_row(const Processor& processor, std::uint32_t cores, const Timing& timing,
                        const std::string& library) {
  CompareRow row;
  row.kind = RowKind::kMeasured;
  row.format = devices::NumberFormat::kFp32;
  row.title = processor.name;
  row.seconds = timing.median;
  row.clock_hz = timing.clock_hz;
  row.basis = fmt::format("{}, {}, {}", processor.name, library, timing_text(timing));
  row.details = timing_json(timing);
  row.details["library"] = library;
  add_peak(row, cores);
  return row;
}

void check_sizes(const devices::GemmShape& shape) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::uint64_t size : {shape.m, shape.k, shape.n}) {
    if (size <= kMost) continue;
    throw InputError(fmt::format(
        "a size of {} is more than a BLAS library takes; choose smaller sizes, or leave the device "
        "out",
        size));
  }
}

CompareRow measure_product(ProductValues& values) {
  const devices::GemmShape& shape = values.shape();
  check_sizes(shape);
  const Sgemm sgemm = find_sgemm();
  std::vector<float> result(shape.m * shape.n);
  const auto work = [&] {
    sgemm.multiply(values.a().data(), values.b().data(), result.data(), shape);
  };
  const Processor processor = this_processor();
  CompareRow row = measured_row(processor, processor.cores,
                                time_repeated(work, core_clock_hz, kEnoughSeconds), sgemm.library);
  row.shape = shape;
  row.flop = devices::useful_flop(shape);
  row.max_abs_error = values.largest_error(result);
  return row;
}

CompareRow measure_network(const MeasuredNetwork& network) {
  reference::GraphRunner runner(network.graph, {.keep_constants = true});
  NamedTensors outputs;
  const auto work = [&] { outputs = runner.run(network.inputs); };
  const Processor processor = this_processor();
  CompareRow row = measured_row(
      processor, 1, time_repeated(work, core_clock_hz, kEnoughSeconds),
      fmt::format("Weft's CPU backend on one thread of {}", counted(processor.cores, "core")));
  row.flop = network.flop;
  row.max_abs_error = largest_output_error(outputs, network.exact);
  return row;
}

}  // namespace

MeasuredDevice cpu_device() {
  MeasuredDevice device;
  device.formats = {devices::NumberFormat::kFp32};
  device.product = [](devices::NumberFormat, ProductValues& values) {
    return measure_product(values);
  };
  device.network = [](devices::NumberFormat, const MeasuredNetwork& network) {
    return measure_network(network);
  };
  return device;
}

}  // namespace weft::runtime
