#include "runtime/analysis/fold_account.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/analysis/ledger.h"
#include "sim/isa/row_generator.h"
#include "sim/isa/tensor_layout.h"
#include "sim/timing/unit_streams.h"

namespace weft::runtime {
namespace {

/// A fold in the program.
struct Fold {
  std::uint32_t first_matmul = 0;  // position in the matmul stream
  std::uint32_t matmuls = 0;
  std::uint64_t tile = 0;       // from the first tile of the weights
  std::uint64_t first_row = 0;  // in the result
};

class AccountBuilder {
 public:
  AccountBuilder(const ContractionShape& shape, const MachineConfig& config, const Program& program,
                 const Result& result)
      : shape_(shape),
        config_(config),
        program_(program),
        result_(result),
        streams_(program),
        k_blocks_(shape.k_blocks(config)) {
    find_folds();
  }

  Account build(std::uint64_t steps) const {
    Account account;
    account.folds = folds_.size();
    std::uint64_t next = 0;
    for (const std::uint64_t fold : chosen(steps)) {
      if (next < fold) account.entries.push_back(entry(next, fold));
      account.entries.push_back(entry(fold, fold + 1));
      account.entries.back().step = step(fold);
      next = fold + 1;
    }
    if (next < folds_.size()) account.entries.push_back(entry(next, folds_.size()));
    account.tail_begin = end_of(folds_.size() - 1);
    account.total = result_.total;
    fill_in_ledgers(account);
    return account;
  }

 private:
  const Matmul& matmul(std::uint32_t position) const {
    return std::get<Matmul>(program_.code[streams_[Unit::kMatmul][position]].operation);
  }
  Cycle started(std::uint32_t position) const {
    return result_.timeline.instructions[streams_[Unit::kMatmul][position]].started;
  }
  std::uint32_t last_matmul(const Fold& fold) const { return fold.first_matmul + fold.matmuls - 1; }

  void find_folds() {
    const auto weights =
        std::ranges::find(program_.tensors, TensorRole::kWeights, &TensorDecl::role);
    std::map<std::uint64_t, std::uint64_t> rows_done;  // per n tile
    std::uint64_t sums_from = 0;                       // first row of the current sums
    const auto matmuls = static_cast<std::uint32_t>(streams_[Unit::kMatmul].size());
    for (std::uint32_t i = 0; i < matmuls; ++i) {
      if (matmul(i).next_weights) {
        const std::uint32_t fetch = streams_[Unit::kFetch][folds_.size()];
        const std::uint64_t tile = std::get<Fetch>(program_.code[fetch].operation).tile;
        folds_.push_back({i, 0, tile - weights->base, 0});
      }
      Fold& fold = folds_.back();
      if (!matmul(i).accumulate) {
        std::uint64_t& done = rows_done[fold.tile / k_blocks_];
        sums_from = done;
        done += matmul(i).rows;
      }
      if (fold.matmuls++ == 0) fold.first_row = sums_from;
    }
  }

  Cycle end_of(std::uint64_t fold) const {
    const std::uint32_t last = last_matmul(folds_[fold]);
    return started(last) + matmul(last).rows;
  }

  AccountEntry entry(std::uint64_t first, std::uint64_t last) const {
    AccountEntry entry;
    entry.first_fold = first;
    entry.folds = last - first;
    entry.begin = first == 0 ? 0 : end_of(first - 1);
    entry.end = end_of(last - 1);
    return entry;
  }

  void fill_in_ledgers(Account& account) const {
    std::vector<Cycle> boundaries = {0};
    for (const AccountEntry& entry : account.entries) boundaries.push_back(entry.end);
    boundaries.push_back(account.total);
    const std::vector<CycleLedger> parts = ledgers(config_, program_, result_.timeline, boundaries);
    for (std::size_t i = 0; i < account.entries.size(); ++i) account.entries[i].ledger = parts[i];
    account.tail = parts.back();
  }

  // --- Which folds are listed ---

  std::uint64_t block_of_tap(const Fold& fold) const {
    return fold.tile % k_blocks_ % shape_.blocks_a_tap(config_);
  }
  bool padded_along_k(const Fold& fold) const {
    return (block_of_tap(fold) + 1) * config_.array_rows > shape_.channels;
  }
  bool padded_along_n(const Fold& fold) const {
    return (fold.tile / k_blocks_ + 1) * config_.array_cols > shape_.n;
  }

  std::uint64_t longest_wait() const {
    std::uint64_t longest = 0;
    Cycle wait = 0;
    for (std::uint64_t i = 1; i < folds_.size(); ++i) {
      const Cycle waited = started(folds_[i].first_matmul) - end_of(i - 1);
      if (waited > wait) wait = waited, longest = i;
    }
    return longest;
  }

  std::set<std::uint64_t> chosen(std::uint64_t steps) const {
    const std::uint64_t count = folds_.size();
    std::set<std::uint64_t> folds;
    const auto add = [&](std::uint64_t fold) {
      if (fold < count && folds.size() < steps) folds.insert(fold);
    };
    const auto add_first = [&](bool along_k, bool along_n) {
      const auto found = std::ranges::find_if(folds_, [&](const Fold& fold) {
        return padded_along_k(fold) == along_k && padded_along_n(fold) == along_n;
      });
      add(static_cast<std::uint64_t>(found - folds_.begin()));
    };
    add(0);
    if (steps < count) {
      add(count - 1);
      add_first(true, false);
      add_first(false, true);
      add_first(true, true);
      add(longest_wait());
    }
    for (std::uint64_t i = 0; i < count && folds.size() < steps; ++i) folds.insert(i);
    return folds;
  }

  // --- One fold ---

  FoldStep step(std::uint64_t number) const {
    const Fold& fold = folds_[number];
    const std::uint64_t rows = config_.array_rows;
    const std::uint64_t cols = config_.array_cols;
    FoldStep step;
    step.k_block = fold.tile % k_blocks_;
    step.n_tile = fold.tile / k_blocks_;
    step.tap = step.k_block / shape_.blocks_a_tap(config_);
    const std::uint64_t block = block_of_tap(fold);
    step.k = {block * rows, std::min((block + 1) * rows, shape_.channels)};
    step.n = {step.n_tile * cols, std::min((step.n_tile + 1) * cols, shape_.n)};
    step.padding_rows = rows - step.k.size();
    step.padding_cols = cols - step.n.size();
    add_rows(fold, step);
    step.begins_sums = !matmul(fold.first_matmul).accumulate;
    step.completes_sums =
        number + 1 == folds_.size() || !matmul(folds_[number + 1].first_matmul).accumulate;
    step.pushed = result_.timeline.pushes[number];
    step.started = started(fold.first_matmul);
    if (number > 0) step.hidden_shift = hidden_shift(folds_[number - 1], step.pushed);
    return step;
  }

  void add_rows(const Fold& fold, FoldStep& step) const {
    step.chunks = fold.matmuls;
    step.m = {fold.first_row, fold.first_row};
    for (std::uint32_t i = fold.first_matmul; i <= last_matmul(fold); ++i) {
      step.m.last += matmul(i).rows;
      step.border_rows += padded_rows(matmul(i));
    }
  }

  /// Cycles of the push from `pushed` on during which rows of `before` enter the array.
  Cycle hidden_shift(const Fold& before, Cycle pushed) const {
    Cycle hidden = 0;
    for (std::uint32_t i = before.first_matmul; i <= last_matmul(before); ++i) {
      const Cycle begin = std::max(pushed, started(i));
      const Cycle end = std::min<Cycle>(pushed + config_.array_rows, started(i) + matmul(i).rows);
      hidden += std::max<Cycle>(0, end - begin);
    }
    return hidden;
  }

  const ContractionShape& shape_;
  const MachineConfig& config_;
  const Program& program_;
  const Result& result_;
  const UnitStreams streams_;
  const std::uint64_t k_blocks_;
  std::vector<Fold> folds_;
};

}  // namespace

std::uint64_t ContractionShape::blocks_a_tap(const MachineConfig& config) const {
  return ceil_div(channels, config.array_rows);
}

std::uint64_t ContractionShape::k_blocks(const MachineConfig& config) const {
  return taps() * blocks_a_tap(config);
}

Account fold_account(const ContractionShape& shape, const MachineConfig& config,
                     const Program& program, const Result& result, std::uint64_t steps) {
  return AccountBuilder(shape, config, program, result).build(steps);
}

std::uint64_t padded_rows(const Matmul& matmul) {
  std::uint64_t inside = 0;
  for_each_run(matmul.ub, matmul.rows, [&](const RowRun& run) { inside += run.count; });
  return matmul.rows - inside;
}

std::vector<std::uint64_t> border_rows_of_taps(const ContractionShape& shape,
                                               const MachineConfig& config,
                                               const Program& program) {
  const std::uint64_t blocks = shape.k_blocks(config);
  const std::uint64_t base =
      std::ranges::find(program.tensors, TensorRole::kWeights, &TensorDecl::role)->base;
  std::vector<std::uint64_t> tiles;
  std::vector<std::uint64_t> rows(shape.taps(), 0);
  std::map<std::uint64_t, std::uint64_t> counted_tile;  // per tap, the tile that is counted
  std::size_t fetched = 0;
  for (const Instruction& instruction : program.code) {
    if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
      tiles.push_back(fetch->tile - base);
    } else if (const auto* matmul = std::get_if<Matmul>(&instruction.operation)) {
      if (matmul->next_weights) ++fetched;
      const std::uint64_t tile = tiles[fetched - 1];
      const std::uint64_t tap = tile % blocks / shape.blocks_a_tap(config);
      if (counted_tile.try_emplace(tap, tile).first->second == tile) {
        rows[tap] += padded_rows(*matmul);
      }
    }
  }
  return rows;
}

std::uint64_t most_rows(const Program& program) {
  std::uint64_t most = 0;
  for (const Instruction& instruction : program.code) {
    if (const auto* matmul = std::get_if<Matmul>(&instruction.operation)) {
      most = std::max<std::uint64_t>(most, matmul->rows);
    }
  }
  return most;
}

std::vector<std::uint64_t> rows_of_folds(const Program& program) {
  std::vector<std::uint64_t> rows;
  for (const Instruction& instruction : program.code) {
    const auto* matmul = std::get_if<Matmul>(&instruction.operation);
    if (matmul == nullptr) continue;
    if (matmul->next_weights) rows.push_back(0);
    rows.back() += matmul->rows;
  }
  return rows;
}

FormulaTerms fold_formula(const MachineConfig& config, const Program& program) {
  const std::vector<std::uint64_t> rows = rows_of_folds(program);
  const std::uint64_t drain = std::uint64_t{config.array_rows} + config.array_cols - 2;
  FormulaTerms terms;
  terms.weight_load = config.array_rows;
  terms.last_fold = rows.back() + drain;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    terms.steps += config.double_buffer ? std::max<std::uint64_t>(rows[i], config.array_rows)
                                        : rows[i] + drain + config.array_rows;
  }
  return terms;
}

}  // namespace weft::runtime
