#include "runtime/scalesim/layer_runs.h"

#include <fmt/format.h>

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
  std::optional<std::uint64_t> better = {};
};

class Runner {
 public:
  Runner(ScaleSimRun& run, const ScaleSimRunOptions& options) : run_(run), options_(options) {
    better_machine_ = run.machine;
    better_machine_.double_buffer = true;
  }

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
    if (options_.better) cycles.better = better_span(product);
    return cycles;
  }

  std::uint64_t better_span(const MatmulSpec& product) const {
    const TilingPlan plan = map_product(product, better_machine_);
    const Result result = simulate(better_machine_, *matmul_stream(plan, better_machine_));
    return static_cast<std::uint64_t>(result.array_span);
  }

  ScaleSimRun& run_;
  const ScaleSimRunOptions& options_;
  MachineConfig better_machine_;
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
  Runner runner(run, options);
  const std::size_t count = run.topology.layers.size();
  for (const ScaleSimLayer& layer : run.topology.layers) {
    run.layers.push_back(located(run.topology, layer, [&] { return runner.layer(layer); }));
    if (progress) progress(static_cast<double>(run.layers.size()) / static_cast<double>(count));
  }
  run.wall_seconds = watch.seconds();
  return run;
}

}  // namespace weft::runtime
