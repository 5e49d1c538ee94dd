#include "runtime/analysis/sweep_workloads.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "compiler/emit/matmul.h"
#include "runtime/job/analytic_run.h"
#include "runtime/job/one_layer.h"
#include "runtime/workload/compiled_product.h"
#include "runtime/workload/memory_check.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

std::optional<std::uint64_t> tile_of(char dimension, const MachineConfig& config) {
  if (dimension == 'm') return std::nullopt;
  return dimension == 'k' ? config.array_rows : config.array_cols;
}

/// True if `size` is the first element of a new tile.
bool begins_tile(std::uint64_t size, std::uint64_t tile) {
  return tile > 1 && size > 1 && (size - 1) % tile == 0;
}

/// Useful MACs divided by the MACs that the array could have done.
double used_share(std::uint64_t useful_macs, Cycle cycles, const MachineConfig& config) {
  return static_cast<double>(useful_macs) /
         (static_cast<double>(cycles) * config.array_rows * config.array_cols);
}

// --- Products ------------------------------------------------------------------------------------

bool is_cliff(const TilingPlan& plan, char dimension, std::uint64_t size,
              const MachineConfig& config) {
  if (const auto tile = tile_of(dimension, config)) return begins_tile(size, *tile);
  return size > 1 && scheduled_plan(swept_spec(plan.spec, dimension, size - 1), config).m_chunks <
                         plan.m_chunks;
}

SweepPoint product_point(const MatmulSpec& spec, const MachineConfig& config, char dimension,
                         std::uint64_t size) {
  const TilingPlan plan = scheduled_plan(swept_spec(spec, dimension, size), config);
  const Result result = simulate(config, *matmul_stream(plan, config));
  SweepPoint point;
  point.size = size;
  point.folds = plan.folds;
  point.waste = plan.padding_waste();
  point.cycles = static_cast<std::uint64_t>(result.total);
  point.utilization = used_share(plan.macs.useful, result.total, config);
  point.cliff = is_cliff(plan, dimension, size, config);
  return point;
}

std::string product_title(const MatmulSpec& spec, char dimension) {
  const auto size = [&](char name, std::uint64_t value) {
    return name == dimension ? std::string(1, name) : fmt::format("{}", value);
  };
  return fmt::format("{} x {} x {}", size('m', spec.m), size('k', spec.k), size('n', spec.n));
}

// --- Convolutions --------------------------------------------------------------------------------

ConvSpec with_size(ConvSpec spec, char dimension, std::uint64_t size) {
  const auto value = static_cast<std::int64_t>(size);
  (dimension == 'm' ? spec.input[0] : dimension == 'k' ? spec.input[1] : spec.filters) = value;
  return spec;
}

std::uint64_t tile_count(std::int64_t size, std::uint64_t tile) {
  return (static_cast<std::uint64_t>(size) + tile - 1) / tile;
}

/// Estimates a fetch and a matmul per fold, and takes the input's pixels as the number of the
/// result's.
std::uint64_t conv_instructions(const ConvSpec& spec, const MachineConfig& config) {
  const auto pixels = static_cast<double>(spec.input[0]) * static_cast<double>(spec.input[2]) *
                      static_cast<double>(spec.input[3]);
  const double chunks = 1 + pixels / config.accumulator_rows;
  const double folds = static_cast<double>(spec.kernel[0]) * static_cast<double>(spec.kernel[1]) *
                       static_cast<double>(tile_count(spec.input[1], config.array_rows)) *
                       static_cast<double>(tile_count(spec.filters, config.array_cols));
  return static_cast<std::uint64_t>(std::min(2.0 * chunks * folds, 1e18));
}

SweepPoint conv_point(const ConvSpec& spec, const MachineConfig& config, char dimension,
                      std::uint64_t size) {
  const AnalyticRun done = analytic_conv(with_size(spec, dimension, size), config);
  SweepPoint point;
  point.size = size;
  bool is_packed = false;
  if (const auto* segment = array_segment(done.network)) {
    is_packed = segment->schedule.layers.front().mappings.front().packed_taps > 1;
    point.folds = done.run.layers.front().info.fetches;
    point.waste =
        1 - static_cast<double>(done.run.useful_macs) / static_cast<double>(done.run.issued_macs);
  }
  point.cycles = static_cast<std::uint64_t>(done.run.total);
  point.utilization = used_share(done.run.useful_macs, done.run.total, config);
  // Packed channels have no tiles of their own.
  if (const auto tile = tile_of(dimension, config); tile && !(is_packed && dimension == 'k')) {
    point.cliff = begins_tile(size, *tile);
  }
  return point;
}

std::string conv_title(const ConvSpec& spec, char dimension) {
  const auto size = [&](char name, std::int64_t value) {
    return name == dimension ? std::string(1, name) : fmt::format("{}", value);
  };
  return fmt::format("{} filters of {}x{} over {}x{}x{}x{}", size('n', spec.filters),
                     spec.kernel[0], spec.kernel[1], size('m', spec.input[0]),
                     size('k', spec.input[1]), spec.input[2], spec.input[3]);
}

}  // namespace

SweptRuns swept_runs(const MatmulSpec& spec) {
  SweptRuns workload{"product", fmt::format("{} x {} x {}", spec.m, spec.k, spec.n)};
  workload.run = [=](const MachineConfig& config, std::optional<std::int64_t>) {
    const TilingPlan plan = scheduled_plan(spec, config);
    const std::unique_ptr<InstructionStream> stream = matmul_stream(plan, config);
    return one_layer_run(matmul_header(plan, config), plan, simulate(config, *stream));
  };
  return workload;
}

SweptRuns swept_runs(const ConvSpec& spec) {
  SweptRuns workload{"convolution", to_text(spec), true};
  workload.run = [=](const MachineConfig& config, std::optional<std::int64_t> batch) {
    ConvSpec wanted = spec;
    wanted.input[0] = batch.value_or(spec.input[0]);
    return analytic_conv(wanted, config).run;
  };
  return workload;
}

SweptRuns swept_runs(const NetworkRequest& request, compiler::SearchEffort effort) {
  SweptRuns workload{"network", request.model, true};
  workload.run = [=](const MachineConfig& config, std::optional<std::int64_t> batch) {
    NetworkRequest wanted = request;
    if (batch) wanted.batch = batch;
    graph::Graph graph = load_network(wanted);
    require_computation(wanted, graph);
    compiler::MappingOptions mapping;
    mapping.effort = effort;
    return analytic_network(std::move(graph), request.model, config, mapping).run;
  };
  return workload;
}

MatmulSpec swept_spec(MatmulSpec spec, char dimension, std::uint64_t size) {
  (dimension == 'm' ? spec.m : dimension == 'k' ? spec.k : spec.n) = size;
  return spec;
}

SweptWorkload swept_product(const MatmulSpec& spec, const MachineConfig& config, char dimension) {
  SweptWorkload workload{"product", product_title(spec, dimension), ""};
  workload.tile = tile_of(dimension, config);
  workload.instructions = [=, &config](std::uint64_t size) {
    return most_instructions(scheduled_plan(swept_spec(spec, dimension, size), config));
  };
  workload.point = [=, &config](std::uint64_t size) {
    return product_point(spec, config, dimension, size);
  };
  return workload;
}

SweptWorkload swept_conv(const ConvSpec& spec, const MachineConfig& config, char dimension) {
  const char* const meaning = dimension == 'm'   ? "images"
                              : dimension == 'k' ? "channels"
                                                 : "filters";
  SweptWorkload workload{"convolution", conv_title(spec, dimension), meaning};
  workload.tile = tile_of(dimension, config);
  workload.instructions = [=, &config](std::uint64_t size) {
    return conv_instructions(with_size(spec, dimension, size), config);
  };
  workload.point = [=, &config](std::uint64_t size) {
    return conv_point(spec, config, dimension, size);
  };
  return workload;
}

}  // namespace weft::runtime
