#include "compiler/program/order/round_merger.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "sim/isa/instruction.h"
#include "sim/timing/array_timing.h"

namespace weft::compiler {
namespace {

bool takes_tile(const OperationEntry& entry) {
  return std::get<Matmul>(entry.operation).next_weights;
}

}  // namespace

RoundMerger::RoundMerger(const MachineConfig& config, ListScheduler& next, std::size_t at_once,
                         std::uint64_t staging)
    : config_(config),
      next_(next),
      at_once_(at_once),
      staging_(staging),
      push_(ArrayTiming(config).push()),
      clock_(config) {
  append_round();
}

void RoundMerger::append_round() {
  if (spare_ == nullptr) spare_ = std::make_unique<OperationBlock>(config_, staging_);
  rounds_.push_back(std::move(spare_));
}

void RoundMerger::begin_round() {
  rounds_.back()->begin();
  if (rounds_.size() == at_once_) hand_on_oldest();
  append_round();
}

void RoundMerger::after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                               std::uint64_t plane_rows, std::function<void()> note) {
  const auto hand_on = [=, this, note = std::move(note)] {
    next_.after_writes(base, rows, planes, plane_rows, note);
  };
  rounds_.back()->after_writes(base, rows, planes, plane_rows, hand_on);
}

void RoundMerger::finish() {
  rounds_.back()->begin();
  while (!rounds_.empty()) hand_on_oldest();
  next_.finish();
}

/// Hands on all that is left of the oldest round, and what of the others comes before.
void RoundMerger::hand_on_oldest() {
  while (rounds_.front()->left() > 0) {
    if (const auto start = next()) {
      hand_on(*start);
    } else {
      fetch_ahead();
    }
  }
  if (tile_of_ == rounds_.front().get()) tile_of_ = nullptr;
  spare_ = std::move(rounds_.front());
  spare_->clear();
  rounds_.pop_front();
}

/// What can start first; nullopt if everything waits for a fetch whose fold cannot start yet.
std::optional<RoundMerger::Start> RoundMerger::next() {
  std::optional<Start> first;
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    for (const Unit unit : kUnits) {
      const auto start = next_of(round, unit);
      if (start && (!first || *start < *first)) first = start;
    }
  }
  return first;
}

/// A fetch is handed on together with the fold that takes its tile.
std::optional<RoundMerger::Start> RoundMerger::next_of(std::size_t round, Unit unit) {
  if (unit == Unit::kFetch) return std::nullopt;
  OperationBlock& block = *rounds_[round];
  const auto node = unit == Unit::kVector ? block.next_vector(clock_) : block.head(unit);
  if (!node) return std::nullopt;
  if (unit == Unit::kMatmul) {
    const auto start = fold_start(block);
    return start ? std::optional(Start{*start, false, round, *node}) : std::nullopt;
  }
  if (block.waits(*node) > 0) return std::nullopt;
  return Start{clock_.earliest(block.entry(*node).operation, block.ready(*node)),
               unit == Unit::kStore, round, *node};
}

/// The round to which the array's next fold must belong; nullptr if it may be any.
const OperationBlock* RoundMerger::bound_to() const {
  if (fetched_ > 0) return fetched_for_;
  if (tile_of_ == nullptr) return nullptr;
  const auto next = tile_of_->head(Unit::kMatmul);
  return next && !takes_tile(tile_of_->entry(*next)) ? tile_of_ : nullptr;
}

/// When the round's next matmul could start; nullopt if it waits for more than its tile, or if
/// another round's comes next.
std::optional<Cycle> RoundMerger::fold_start(const OperationBlock& round) const {
  const OperationBlock* bound = bound_to();
  if (bound != nullptr && bound != &round) return std::nullopt;
  const Number matmul = *round.head(Unit::kMatmul);
  Cycle ready = round.ready(matmul);
  const bool fetches = takes_tile(round.entry(matmul)) && fetched_ == 0;
  if (fetches) {
    const auto fetch = round.head(Unit::kFetch);
    if (!fetch || round.waits(*fetch) > 0) return std::nullopt;
    ready = std::max(ready, fetch_start(round, *fetch) + push_);
  }
  if (round.waits(matmul) > (fetches ? 1U : 0U)) return std::nullopt;
  return clock_.earliest(round.entry(matmul).operation, ready);
}

Cycle RoundMerger::fetch_start(const OperationBlock& round, Number fetch) const {
  Cycle ready = round.ready(fetch);
  if (slots_.size() >= config_.weight_fifo_tiles) ready = std::max(ready, slots_.front());
  return clock_.earliest(round.entry(fetch).operation, ready);
}

/// Hands on a fetch before its fold is chosen, because something that comes before the fold waits
/// for it. The next folds then belong to its round, so the oldest round that may go on does.
void RoundMerger::fetch_ahead() {
  const OperationBlock* bound = bound_to();
  const auto may_fetch = [&](const std::unique_ptr<OperationBlock>& round) {
    const auto node = round->head(Unit::kFetch);
    return node && round->waits(*node) == 0 && (bound == nullptr || bound == round.get());
  };
  const auto round = std::ranges::find_if(rounds_, may_fetch);
  assert(round != rounds_.end());
  fetch(**round);
  fetched_for_ = round->get();
  ++fetched_;
}

void RoundMerger::fetch(OperationBlock& round) {
  const Number node = *round.head(Unit::kFetch);
  const Cycle start = fetch_start(round, node);
  if (slots_.size() >= config_.weight_fifo_tiles) slots_.pop_front();
  next_.add(round.entry(node));
  round.hand_on(node, clock_.run(round.entry(node).operation, start));
}

void RoundMerger::hand_on(const Start& start) {
  OperationBlock& round = *rounds_[start.round];
  const OperationEntry& entry = round.entry(start.node);
  Cycle cycle = start.cycle;
  const bool takes = std::holds_alternative<Matmul>(entry.operation) && takes_tile(entry);
  if (takes) {
    if (fetched_ > 0) {
      --fetched_;
    } else {
      fetch(round);
    }
    tile_of_ = &round;
    cycle = clock_.earliest(entry.operation, round.ready(start.node));
  }
  next_.add(entry);
  const Cycle ready = clock_.run(entry.operation, cycle);
  if (takes) slots_.push_back(ready);
  round.hand_on(start.node, ready);
}

}  // namespace weft::compiler
