#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/checked_math.h"
#include "compiler/mapping/estimate.h"
#include "compiler/mapping/formula.h"
#include "compiler/mapping/pacing.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft {
namespace {

// Chunk counts tried one by one, from the fewest on. Beyond them the chunk is halved.
constexpr std::uint64_t kChunkCountsTried = 32;
// For up to this many accumulator regions, the chunk that just fits is tried.
constexpr std::uint32_t kRegionCountsTried = 8;
constexpr std::uint64_t kResultShare = 4;

void require_positive(std::uint64_t size, char name) {
  if (size != 0) return;
  throw InputError(fmt::format("matmul: {} is 0; M, K and N must be at least 1", name));
}

void check_sizes(const MatmulSpec& spec) {
  require_positive(spec.m, 'M');
  require_positive(spec.k, 'K');
  require_positive(spec.n, 'N');
}

/// Checks that every host row and tile of the program has a 64-bit number.
void check_host_rows(const TilingPlan& plan, const MachineConfig& config) {
  const std::uint64_t activations = checked_mul(plan.k_tiles, plan.spec.m);
  const std::uint64_t results =
      checked_mul(checked_mul(plan.n_tiles, checked_add(plan.spec.m, 1)), config.result_row_rows());
  checked_add(activations, results);
}

void check_buffer(const MatmulSpec& spec, const MachineConfig& config) {
  if (fits_unified_buffer(spec, config)) return;
  const std::uint64_t rows = least_buffer_rows(spec, config);
  const std::uint32_t rr = config.result_row_rows();
  throw ConfigError(fmt::format(
      "unified_buffer.kib = {}: too small for a matmul, which needs {} rows of {} bytes (1 of "
      "activations, {} of results{}); set unified_buffer.kib to {} or more",
      config.unified_buffer_kib, rows, config.row_bytes(), rr,
      spec.bias ? fmt::format(", {} of bias", rr) : "",
      ceil_div(checked_mul(rows, config.row_bytes()), 1024)));
}

/// Tiles and MACs, which do not depend on the chunks.
TilingPlan tile_counts(const MatmulSpec& spec, const MachineConfig& config) {
  TilingPlan plan;
  plan.spec = spec;
  plan.k_tiles = ceil_div(spec.k, config.array_rows);
  plan.n_tiles = ceil_div(spec.n, config.array_cols);
  plan.padded_m = spec.m;
  plan.padded_k = checked_mul(plan.k_tiles, config.array_rows);
  plan.padded_n = checked_mul(plan.n_tiles, config.array_cols);
  plan.macs = count_macs(spec, plan.padded_k, plan.padded_n);
  return plan;
}

/// Chunk sizes worth trying, in descending order: equal parts of M, halves of the largest size, and
/// sizes that just fit a small number of accumulator regions.
std::vector<std::uint32_t> chunk_candidates(const MatmulSpec& spec, const MachineConfig& config) {
  const std::uint32_t largest = largest_chunk(spec, config);
  std::vector<std::uint32_t> sizes;
  const std::uint64_t fewest = ceil_div(spec.m, largest);
  for (std::uint64_t chunks = fewest; chunks < fewest + kChunkCountsTried; ++chunks) {
    sizes.push_back(static_cast<std::uint32_t>(ceil_div(spec.m, chunks)));
  }
  for (std::uint32_t size = largest; size > 0; size /= 2) sizes.push_back(size);
  for (std::uint32_t regions = 1; regions <= kRegionCountsTried; ++regions) {
    sizes.push_back(std::min(largest, config.accumulator_rows / regions));
  }
  sizes.push_back(std::min(largest, config.array_rows));
  std::erase(sizes, 0U);
  // Keeps the number of chunks but makes them equal: a short last chunk would wait for the others.
  for (std::uint32_t& size : sizes) {
    size = static_cast<std::uint32_t>(ceil_div(spec.m, ceil_div(spec.m, size)));
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Rows of a chunk so that the results of one chunk can leave while the next is computed: two
/// chunks fit the accumulators, and the results of one take at most a quarter of the unified
/// buffer. The largest such size that divides M evenly.
std::uint32_t alternating_chunk(const TilingPlan& tiles, const MachineConfig& config) {
  const std::uint64_t rows_of_result = tiles.n_tiles * config.result_row_rows();
  const std::uint64_t most = std::min<std::uint64_t>(
      config.accumulator_rows / 2, compiler::usable_rows(config) / kResultShare / rows_of_result);
  const std::uint64_t size = std::clamp<std::uint64_t>(most, 1, largest_chunk(tiles.spec, config));
  return static_cast<std::uint32_t>(ceil_div(tiles.spec.m, ceil_div(tiles.spec.m, size)));
}

/// The sizes of up to kChunkCountsTried equal chunks, and of counts that grow by an eighth. They
/// depend on M alone: a machine with more of something has all the sizes that one with less has.
std::vector<std::uint32_t> equal_chunks(const MatmulSpec& spec, const MachineConfig& config) {
  const std::uint32_t largest = largest_chunk(spec, config);
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t chunks = 1; chunks <= spec.m;
       chunks += 1 + (chunks < kChunkCountsTried ? 0 : chunks / 8)) {
    const std::uint64_t rows = ceil_div(spec.m, chunks);
    if (rows <= largest && (sizes.empty() || rows != sizes.back())) {
      sizes.push_back(static_cast<std::uint32_t>(rows));
    }
  }
  return sizes;
}

/// With one k tile, chunks may share a tile that is fetched once. With a single tile in all they
/// must.
std::vector<LoopOrder> orders(const TilingPlan& plan) {
  if (plan.k_tiles > 1 || plan.m_chunks == 1) return {LoopOrder::kChunkOutermost};
  if (plan.n_tiles == 1) return {LoopOrder::kChunkInnermost};
  return {LoopOrder::kChunkInnermost, LoopOrder::kChunkOutermost};
}

/// The cheapest candidate so far. Candidates with the fewest chunks come first. More chunks mean
/// more instructions and, unless the weights are kept, more weight traffic. So they must spare the
/// array some waiting. If they only shorten the first load and the last store, they must save at
/// least a twentieth of the run and an array fill.
class Best {
 public:
  explicit Best(const MachineConfig& config)
      : config_(config), fill_(double{1} * config.array_rows + config.array_cols) {}

  void offer(const TilingPlan& plan) {
    const PredictedCycles cycles = estimate_cycles(plan, config_);
    if (found_ && !is_better(cycles)) return;
    found_ = true;
    cycles_ = cycles;
    plan_ = plan;
  }
  const TilingPlan& plan() const { return plan_; }

 private:
  bool is_better(const PredictedCycles& cycles) const {
    const double array_margin = cycles_.total / 1000;
    const double margin = std::max(cycles_.total / 20, fill_);
    if (cycles.total < cycles_.total - margin) return true;
    return cycles.array < cycles_.array - array_margin &&
           cycles.total < cycles_.total - array_margin;
  }

  const MachineConfig& config_;
  const double fill_;
  bool found_ = false;
  PredictedCycles cycles_;
  TilingPlan plan_;
};

std::uint64_t folds_of(const TilingPlan& plan) {
  return plan.order == LoopOrder::kChunkInnermost ? plan.n_tiles : plan.matmuls();
}

/// The candidates with chunks of `chunk_rows` rows.
std::vector<TilingPlan> with_chunks(TilingPlan plan, std::uint32_t chunk_rows,
                                    const MachineConfig& config) {
  plan.chunk_rows = chunk_rows;
  plan.m_chunks = ceil_div(plan.spec.m, chunk_rows);
  std::vector<TilingPlan> candidates;
  for (const LoopOrder order : orders(plan)) {
    plan.order = order;
    plan.folds = folds_of(plan);
    std::ranges::copy(buffer_layouts(plan, config), std::back_inserter(candidates));
  }
  return candidates;
}

/// tile_counts(), if the product is one that the machine can run.
TilingPlan checked_tiles(const MatmulSpec& spec, const MachineConfig& config) {
  check_sizes(spec);
  TilingPlan tiles = tile_counts(spec, config);
  check_host_rows(tiles, config);
  check_buffer(spec, config);
  return tiles;
}

void sort_by_estimate(std::vector<TilingPlan>& plans, const MachineConfig& config) {
  std::ranges::stable_sort(
      plans, {}, [&](const TilingPlan& plan) { return estimate_cycles(plan, config).total; });
}

/// What follows from the buffers.
void finish(std::vector<TilingPlan>& plans, const MachineConfig& config) {
  for (TilingPlan& plan : plans) {
    plan.formula = formula_terms(plan, config);
    plan.pacing = pace(plan, config);
  }
}

}  // namespace

double TilingPlan::padding_waste() const {
  return static_cast<double>(macs.issued - macs.useful) / static_cast<double>(macs.issued);
}

std::uint32_t TilingPlan::rows_of_chunk(std::uint64_t chunk) const {
  const std::uint64_t begin = chunk * chunk_rows;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_rows, spec.m - begin));
}

bool fits_unified_buffer(const MatmulSpec& spec, const MachineConfig& config) {
  return largest_chunk(spec, config) > 0;
}

std::vector<TilingPlan> matmul_plans(const MatmulSpec& spec, const MachineConfig& config,
                                     std::size_t most) {
  const TilingPlan tiles = checked_tiles(spec, config);
  Best best(config);
  for (const std::uint32_t chunk_rows : chunk_candidates(spec, config)) {
    for (const TilingPlan& plan : with_chunks(tiles, chunk_rows, config)) best.offer(plan);
  }
  std::vector<TilingPlan> plans = with_chunks(tiles, alternating_chunk(tiles, config), config);
  sort_by_estimate(plans, config);
  plans.insert(plans.begin(), best.plan());
  if (plans.size() > most) plans.resize(most);
  finish(plans, config);
  return plans;
}

std::vector<TilingPlan> plans_of_equal_chunks(const MatmulSpec& spec, const MachineConfig& config) {
  const TilingPlan tiles = checked_tiles(spec, config);
  std::vector<TilingPlan> plans;
  for (const std::uint32_t chunk_rows : equal_chunks(spec, config)) {
    std::ranges::move(with_chunks(tiles, chunk_rows, config), std::back_inserter(plans));
  }
  sort_by_estimate(plans, config);
  finish(plans, config);
  return plans;
}

std::vector<TilingPlan> plans_with_chunks(const MatmulSpec& spec, const MachineConfig& config,
                                          std::uint32_t chunk_rows) {
  std::vector<TilingPlan> plans = with_chunks(checked_tiles(spec, config), chunk_rows, config);
  finish(plans, config);
  return plans;
}

TilingPlan plan_matmul(const MatmulSpec& spec, const MachineConfig& config) {
  return matmul_plans(spec, config, 1).front();
}

TilingPlan plan_of(const Mapping& mapping, const MatmulSpec& spec, const MachineConfig& config) {
  TilingPlan plan = tile_counts(spec, config);
  static_cast<Mapping&>(plan) = mapping;
  plan.m_chunks = ceil_div(spec.m, mapping.chunk_rows);
  plan.folds = folds_of(plan);
  plan.formula = formula_terms(plan, config);
  return plan;
}

}  // namespace weft
