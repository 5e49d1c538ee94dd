#include "runtime/analysis/fold_count.h"

#include <algorithm>
#include <variant>

#include "sim/isa/row_generator.h"

namespace weft::runtime {

std::uint64_t padded_rows(const Matmul& matmul) {
  std::uint64_t inside = 0;
  for_each_run(matmul.ub, matmul.rows, [&](const RowRun& run) { inside += run.count; });
  return matmul.rows - inside;
}

// --- FoldCount ---

std::uint64_t FoldCount::drain() const {
  return std::uint64_t{config_.array_rows} + config_.array_cols - 2;
}

void FoldCount::add(const Instruction& instruction) {
  const auto* matmul = std::get_if<Matmul>(&instruction.operation);
  if (matmul == nullptr) return;
  if (matmul->next_weights) {
    if (folds_ > 0) {
      steps_ += config_.double_buffer ? std::max<std::uint64_t>(rows_, config_.array_rows)
                                      : rows_ + drain() + config_.array_rows;
    }
    ++folds_;
    rows_ = 0;
  }
  rows_ += matmul->rows;
  most_rows_ = std::max<std::uint64_t>(most_rows_, matmul->rows);
}

FormulaTerms FoldCount::formula() const {
  FormulaTerms terms;
  terms.weight_load = config_.array_rows;
  terms.steps = steps_;
  terms.last_fold = rows_ + drain();
  return terms;
}

FoldCount count_folds(const MachineConfig& config, const Program& program) {
  FoldCount count(config);
  for (const Instruction& instruction : program.code) count.add(instruction);
  return count;
}

// --- BorderRows ---

BorderRows::BorderRows(const ContractionShape& shape, const MachineConfig& config)
    : shape_(shape), config_(config), rows_(shape.taps(), 0) {}

void BorderRows::add(const Instruction& instruction) {
  if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
    tiles_.push_back(fetch->tile);
    return;
  }
  const auto* matmul = std::get_if<Matmul>(&instruction.operation);
  if (matmul == nullptr) return;
  if (matmul->next_weights) {
    tile_ = tiles_.front();
    tiles_.pop_front();
  }
  const std::uint64_t tap = tile_ % shape_.k_blocks(config_) / shape_.part_blocks(config_);
  if (counted_.try_emplace(tap, tile_).first->second == tile_) rows_[tap] += padded_rows(*matmul);
}

}  // namespace weft::runtime
