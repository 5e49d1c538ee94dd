#include "compiler/mapping/formula.h"

#include <algorithm>

#include "compiler/mapping/checked_math.h"

namespace weft {
namespace {

/// Cycles between the first activation rows of two consecutive folds; the earlier one has `rows`
/// rows. With double buffering the next tile's R pushes hide behind the rows. Otherwise they wait
/// until the array is empty: rows + R+C-2 cycles, then R pushes.
std::uint64_t fold_step(std::uint64_t rows, const MachineConfig& config) {
  const std::uint64_t array_rows = config.array_rows;
  if (config.double_buffer) return std::max(rows, array_rows);
  return checked_add(rows, 2 * array_rows + config.array_cols - 2);
}

/// The steps of all folds, including the last one, which has `last_rows` rows.
std::uint64_t all_steps(const TilingPlan& plan, std::uint64_t last_rows,
                        const MachineConfig& config) {
  if (plan.order == LoopOrder::kChunkInnermost) {
    return checked_mul(plan.n_tiles, fold_step(plan.spec.m, config));
  }
  const std::uint64_t folds_a_chunk = checked_mul(plan.k_tiles, plan.n_tiles);
  const std::uint64_t full = checked_mul(plan.m_chunks - 1, fold_step(plan.chunk_rows, config));
  return checked_mul(folds_a_chunk, checked_add(full, fold_step(last_rows, config)));
}

}  // namespace

MacCount count_macs(const MatmulSpec& spec, std::uint64_t padded_k, std::uint64_t padded_n) {
  MacCount macs;
  macs.issued = checked_mul(checked_mul(spec.m, padded_k), padded_n);
  // The others are parts of `issued`, so they fit.
  macs.useful = spec.m * spec.k * spec.n;
  macs.padded_k = spec.m * (padded_k - spec.k) * padded_n;
  macs.padded_n = spec.m * spec.k * (padded_n - spec.n);
  return macs;
}

FormulaTerms formula_terms(const TilingPlan& plan, const MachineConfig& config) {
  const std::uint64_t last_rows = plan.order == LoopOrder::kChunkInnermost
                                      ? plan.spec.m
                                      : plan.rows_of_chunk(plan.m_chunks - 1);
  const std::uint64_t drain = std::uint64_t{config.array_rows} + config.array_cols - 2;
  FormulaTerms terms;
  terms.weight_load = config.array_rows;
  terms.last_fold = checked_add(last_rows, drain);
  terms.steps = all_steps(plan, last_rows, config) - fold_step(last_rows, config);
  checked_add(checked_add(terms.weight_load, terms.steps), terms.last_fold);
  return terms;
}

}  // namespace weft
