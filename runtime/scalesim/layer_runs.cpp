#include "runtime/scalesim/layer_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "compiler/emit/matmul.h"
#include "compiler/schedule/product/map_product.h"
#include "models/imports/text_file.h"
#include "runtime/scalesim/serial_machine.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

using imports::ScaleSimLayer;

/// The cycles of a product; those of equal products are the same.
struct ProductCycles {
  std::uint64_t span = 0;
  std::uint64_t with_transfers = 0;
  std::optional<BetterRun> better = {};
};

/// Runs products with Weft's mapper.
class BetterRunner {
 public:
  BetterRunner(const imports::ScaleSimConfig& config, const std::vector<MatmulSpec>& products)
      : weights_(config) {
    weights_.dataflow = imports::Dataflow::kWeightStationary;
    serial_machine_ = serial_machine(weights_, products);
    machine_ = serial_machine_;
    machine_.double_buffer = true;
  }

  /// The mapper weighs some candidates only, so the serial program is one more, with the second
  /// weight registers and without them.
  BetterRun run(const MatmulSpec& product) const {
    BetterRun best = run_of(simulated(map_product(product, machine_)));
    if (only_by_law(product, weights_) != nullptr) return best;
    const BetterRun serial = run_of(run_serially(product, weights_, serial_machine_));
    const BetterRun overlapped = run_of(simulated(serial_plan(product, weights_, machine_)));
    const auto shorter = [](const BetterRun& a, const BetterRun& b) { return a.cycles < b.cycles; };
    best = std::min({best, overlapped, serial}, shorter);
    best.serial = serial.cycles;
    return best;
  }

 private:
  Result simulated(const TilingPlan& plan) const {
    return simulate(machine_, *matmul_stream(plan, machine_));
  }

  static BetterRun run_of(const Result& result) {
    return {static_cast<std::uint64_t>(result.total),
            static_cast<std::uint64_t>(result.array_span)};
  }

  imports::ScaleSimConfig weights_;
  MachineConfig serial_machine_;
  MachineConfig machine_;
};

class Runner {
 public:
  Runner(ScaleSimRun& run, std::optional<BetterRunner> better)
      : run_(run), better_(std::move(better)) {}

  ScaleSimLayerRun layer(const ScaleSimLayer& layer) {
    ScaleSimLayerRun result;
    result.name = layer.name;
    result.copies = layer.copies;
    result.depthwise = layer.depthwise;
    result.product = product_of(layer);
    result.law = serial_law(result.product, run_.config);
    result.sram = sram_words(result.product, run_.config);
    result.dram = dram_words(layer, run_.config);
    if (const char* why = only_by_law(result.product, run_.config)) result.by_law = why;
    const ProductCycles& cycles = cycles_of(result);
    result.cycles = cycles.span;
    result.stalls = cycles.span - result.law.cycles();
    result.with_transfers = cycles.with_transfers;
    result.better = cycles.better;
    return result;
  }

 private:
  const ProductCycles& cycles_of(const ScaleSimLayerRun& layer) {
    const MatmulSpec& product = layer.product;
    const auto [known, is_new] = known_.try_emplace({product.m, product.k, product.n});
    if (!is_new) return known->second;
    ProductCycles& cycles = known->second;
    if (layer.by_law.empty()) {
      const Result result = run_serially(product, run_.config, run_.machine);
      cycles.span = static_cast<std::uint64_t>(result.array_span);
      cycles.with_transfers = static_cast<std::uint64_t>(result.total);
    } else {
      cycles.span = cycles.with_transfers = layer.law.cycles();
    }
    if (better_) cycles.better = better_->run(product);
    return cycles;
  }

  ScaleSimRun& run_;
  const std::optional<BetterRunner> better_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, ProductCycles> known_;
};

/// Calls `function` with errors that name the layer's line.
template <class Function>
auto located(const imports::ScaleSimTopology& topology, const ScaleSimLayer& layer,
             Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}: {}", imports::place_of(topology.file, layer.line), error.what()));
  }
}

}  // namespace

ScaleSimRun run_scalesim(imports::ScaleSimConfig config, imports::ScaleSimTopology topology,
                         const ScaleSimRunOptions& options,
                         const std::function<void(double)>& progress) {
  const Stopwatch watch;
  ScaleSimRun run{std::move(config), std::move(topology), {}, {}, 0};
  std::vector<MatmulSpec> products;
  for (const ScaleSimLayer& layer : run.topology.layers) {
    located(run.topology, layer, [&] {
      serial_law(product_of(layer), run.config);
      products.push_back(product_of(layer));
    });
  }
  run.machine = serial_machine(run.config, products);
  std::optional<BetterRunner> better;
  if (options.better) better.emplace(run.config, products);
  Runner runner(run, std::move(better));
  const std::size_t count = run.topology.layers.size();
  for (const ScaleSimLayer& layer : run.topology.layers) {
    run.layers.push_back(located(run.topology, layer, [&] { return runner.layer(layer); }));
    if (progress) progress(static_cast<double>(run.layers.size()) / static_cast<double>(count));
  }
  run.wall_seconds = watch.seconds();
  return run;
}

}  // namespace weft::runtime
