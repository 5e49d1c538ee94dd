#include "runtime/analysis/fold_account.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/mapping/tiling_plan.h"
#include "runtime/analysis/fold_count.h"

namespace weft::runtime {
// --- The folds of a run ---

std::uint64_t AccountObserver::RowsBegun::add(std::uint64_t n_tile, std::uint64_t rows) {
  auto range = std::ranges::upper_bound(ranges_, n_tile, {}, &Range::first) - 1;
  const std::uint64_t before = range->rows;
  const auto split = [&](std::uint64_t first) {
    if (range->first == first) return;
    range = ranges_.insert(range + 1, {first, before});
  };
  const bool last_of_range = range + 1 != ranges_.end() && (range + 1)->first == n_tile + 1;
  split(n_tile);
  range->rows += rows;
  if (!last_of_range) {
    range = ranges_.insert(range + 1, {n_tile + 1, before}) - 1;
  } else if ((range + 1)->rows == range->rows) {
    ranges_.erase(range + 1);
  }
  if (range != ranges_.begin() && (range - 1)->rows == range->rows) ranges_.erase(range);
  return before;
}

void AccountObserver::RowsBegun::visit(StateVisitor& visitor) {
  std::size_t size = ranges_.size();
  visitor.equal(size);
  for (Range& range : ranges_) {
    visitor.total(range.first);
    visitor.total(range.rows);
  }
}

AccountObserver::AccountObserver(const ContractionShape& shape, const MachineConfig& config,
                                 std::uint64_t steps, BufferedTile buffered_tile)
    : shape_(shape),
      config_(config),
      steps_(steps),
      k_blocks_(shape.k_blocks(config)),
      buffered_tile_(std::move(buffered_tile)) {}

void AccountObserver::accepted(const Instruction& instruction) {
  if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
    tiles_.push_back(fetch->buffer ? buffered_tile_(fetches_) : fetch->tile);
    ++fetches_;
  }
}

void AccountObserver::pushed(Cycle cycle) {
  pushes_.push_back(cycle);
}

void AccountObserver::streamed(const MatmulWait& wait, const Matmul& matmul,
                               const CycleLedger& ledger) {
  if (wait.swaps) begin_fold(wait, matmul, fold_.until);
  if (!matmul.accumulate) {
    sums_from_ = rows_begun_.add(fold_.tile / k_blocks_, matmul.rows);
  }
  FoldStep& step = fold_.step;
  if (step.chunks++ == 0) step.m = {sums_from_, sums_from_};
  step.m.last += matmul.rows;
  step.border_rows += padded_rows(matmul);
  fold_.end = wait.started + wait.rows;
  fold_.until = ledger;
  // A push that is not known yet begins later than these rows end.
  if (!pushes_.empty()) {
    const Cycle begin = std::max(pushes_.front(), wait.started);
    const Cycle end = std::min<Cycle>(pushes_.front() + config_.array_rows, fold_.end);
    next_hidden_ += std::max<Cycle>(0, end - begin);
  }
}

void AccountObserver::begin_fold(const MatmulWait& wait, const Matmul& matmul,
                                 const CycleLedger& before) {
  if (folds_ > 0) end_fold(!matmul.accumulate);
  Fold next;
  next.number = folds_++;
  next.tile = tiles_.front();
  next.begin = fold_.end;
  next.before = before;
  next.step.chunks = 0;
  next.step.begins_sums = !matmul.accumulate;
  next.step.pushed = pushes_.front();
  next.step.started = wait.started;
  next.step.hidden_shift = std::exchange(next_hidden_, 0);
  tiles_.pop_front();
  pushes_.pop_front();
  fold_ = next;
}

// Keeps the fold if it may be listed.
void AccountObserver::end_fold(bool completes_sums) {
  fold_.step.completes_sums = completes_sums;
  complete(fold_);
  if (earliest_.size() < steps_) earliest_.push_back(fold_);
  const bool along_k = fold_.step.padding_rows > 0;
  const bool along_n = fold_.step.padding_cols > 0;
  auto& first = first_padded_[(along_k ? 1U : 0U) + (along_n ? 2U : 0U)];
  if (!first) first = fold_;
  const Cycle waited = fold_.step.started - fold_.begin;
  if (fold_.number > 0 && waited > longest_wait_) {
    longest_wait_ = waited;
    longest_ = fold_;
  }
}

/// Fills in which part of the weights the tile holds.
void AccountObserver::complete(Fold& fold) const {
  const std::uint64_t rows = config_.array_rows;
  const std::uint64_t cols = config_.array_cols;
  FoldStep& step = fold.step;
  step.k_block = fold.tile % k_blocks_;
  step.n_tile = fold.tile / k_blocks_;
  step.tap = step.k_block / shape_.part_blocks(config_);
  const std::uint64_t block = step.k_block % shape_.part_blocks(config_);
  step.k = {block * rows, std::min((block + 1) * rows, shape_.part_rows())};
  step.n = {step.n_tile * cols, std::min((step.n_tile + 1) * cols, shape_.n)};
  step.padding_rows = rows - step.k.size();
  step.padding_cols = cols - step.n.size();
}

void AccountObserver::visit(StateVisitor& visitor) {
  // Nothing here decides what the run does.
  std::size_t tiles = tiles_.size();
  visitor.equal(tiles);
  for (std::uint64_t i = tiles_.begin(); i < tiles_.end(); ++i) visitor.total(tiles_[i]);
  std::size_t pushes = pushes_.size();
  visitor.equal(pushes);
  for (std::uint64_t i = pushes_.begin(); i < pushes_.end(); ++i) visitor.total(pushes_[i]);
  rows_begun_.visit(visitor);
  visitor.total(fetches_);
  visitor.total(sums_from_);
  visitor.total(folds_);
  visitor.total(next_hidden_);
  visitor.total(fold_.number);
  visitor.total(fold_.tile);
  visitor.total(fold_.begin);
  visitor.total(fold_.end);
  FoldStep& step = fold_.step;
  for (std::uint64_t* number : {&step.chunks, &step.m.first, &step.m.last, &step.border_rows}) {
    visitor.total(*number);
  }
  for (Cycle* cycle : {&step.pushed, &step.started, &step.hidden_shift}) visitor.total(*cycle);
  for (CycleLedger* ledger : {&fold_.before, &fold_.until}) {
    for (const LedgerClass& entry : kLedgerClasses) visitor.total(ledger->*entry.cycles);
  }
}

// --- The account ---

/// The folds to list, in order, from the first one on.
std::vector<AccountObserver::Fold> AccountObserver::chosen() const {
  std::map<std::uint64_t, Fold> folds;
  const auto add = [&](const std::optional<Fold>& fold) {
    if (fold && folds.size() < steps_) folds.emplace(fold->number, *fold);
  };
  add(earliest_.front());
  if (steps_ < folds_) {
    add(fold_);  // the last one
    add(first_padded_[1]);
    add(first_padded_[2]);
    add(first_padded_[3]);
    add(longest_);
  }
  for (const Fold& fold : earliest_) add(fold);
  std::vector<Fold> list;
  for (auto& [number, fold] : folds) list.push_back(std::move(fold));
  return list;
}

/// The folds between two that are listed.
AccountEntry AccountObserver::summary(const Fold& before, const Fold& after) {
  AccountEntry entry;
  entry.first_fold = before.number + 1;
  entry.folds = after.number - entry.first_fold;
  entry.begin = before.end;
  entry.end = after.begin;
  entry.ledger = after.before - before.until;
  return entry;
}

Account AccountObserver::account(const Result& result) {
  end_fold(true);
  Account account;
  account.folds = folds_;
  const std::vector<Fold> folds = chosen();
  Fold end;
  end.number = folds_;
  end.begin = fold_.end;
  end.before = fold_.until;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const Fold& fold = folds[i];
    account.entries.push_back(
        {fold.number, 1, fold.begin, fold.end, fold.until - fold.before, fold.step});
    const Fold& next = i + 1 < folds.size() ? folds[i + 1] : end;
    if (fold.number + 1 < next.number) account.entries.push_back(summary(fold, next));
  }
  account.tail_begin = fold_.end;
  account.total = result.total;
  account.tail = result.ledger - fold_.until;
  return account;
}

}  // namespace weft::runtime
