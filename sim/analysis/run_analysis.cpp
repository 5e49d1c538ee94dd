#include "sim/analysis/run_analysis.h"

#include <algorithm>
#include <utility>

#include "sim/analysis/summary.h"

namespace weft {

void RunObserver::accepted(const Instruction&) {}
void RunObserver::dispatched(Cycle) {}
void RunObserver::started(std::uint64_t, Unit, const InstructionTiming&) {}
void RunObserver::timed(std::uint64_t, const Instruction&, const InstructionTiming&) {}
void RunObserver::pushed(Cycle) {}
void RunObserver::waiting(const MatmulWait&) {}
void RunObserver::classed(Cycle CycleLedger::*, Interval) {}
void RunObserver::streamed(const MatmulWait&, const Matmul&, const CycleLedger&) {}
void RunObserver::tail() {}
void RunObserver::visit(StateVisitor&) {}

RunAnalysis::RunAnalysis(const MachineConfig& config, HazardCheck::InstructionName name,
                         RunObserver* observer)
    : config_(config),
      observer_(observer),
      array_(config),
      clock_(config, *this, PathTimes(recorder_)),
      hazards_(config, std::move(name)),
      ledger_(config, *this) {}

bool RunAnalysis::accept(const Instruction& instruction) {
  ++result_.instructions;
  count_work(config_, instruction.operation, result_);
  if (observer_ != nullptr) observer_->accepted(instruction);
  Pending& entry = pending_.add();
  entry.instruction = instruction;
  entry.known = false;
  if (!clock_.accept(instruction)) return false;
  if (observer_ != nullptr) observer_->dispatched(clock_.last_dispatch());
  ledger_.advance(clock_.frontier());
  return true;
}

bool RunAnalysis::finish() {
  if (!clock_.finish()) return false;
  result_.total = clock_.last_retired() + 1;
  // A tile that no matmul takes may begin to be pushed after the run. There is at most one such
  // tile: the next one waits until a matmul has taken it.
  if (last_push_ >= result_.total) --result_.events.pushes;
  paths_ = recorder_.paths(clock_.last_done().node);
  for (const CriticalPath& path : paths_) result_.critical_path += path;
  hazards_.finish(result_.total);
  ledger_.finish(result_.total);
  if (span_end_ > 0) {
    result_.array_span = span_end_ - first_push_;
    result_.span_ledger = result_.ledger - outside_span_;
  }
  return true;
}

void RunAnalysis::started(std::uint64_t index, Unit unit, const InstructionTiming& timing) {
  Pending& entry = pending_[index];
  entry.timing = timing;
  entry.known = true;
  if (unit == Unit::kMatmul) matmuls_.push_back(std::get<Matmul>(entry.instruction.operation));
  if (unit == Unit::kVector) ledger_.vector(timing);
  if (unit == Unit::kStore) ledger_.store(timing);
  if (observer_ != nullptr) observer_->started(index, unit, timing);
  while (!pending_.empty() && pending_.front().known) {
    const Pending& next = pending_.front();
    hazards_.check(next.instruction.operation, next.timing);
    hazards_.forget_before(next.timing.dispatched);
    checked_until_ = next.timing.dispatched;
    if (observer_ != nullptr) observer_->timed(pending_.begin(), next.instruction, next.timing);
    pending_.pop_front();
  }
}

void RunAnalysis::pushed(Cycle cycle) {
  if (first_push_ < 0) first_push_ = cycle;
  last_push_ = cycle;
  ++result_.events.pushes;
  hazards_.pushed(cycle);
  ledger_.push(cycle);
  if (observer_ != nullptr) observer_->pushed(cycle);
}

void RunAnalysis::waited(const MatmulWait& wait) {
  ledger_.wait(wait);
}

void RunAnalysis::begin(const MatmulWait& wait) {
  if (observer_ != nullptr) observer_->waiting(wait);
}

// The array's span begins in the wait of the first matmul and ends in the tail.
void RunAnalysis::add(Cycle CycleLedger::*ledger_class, Interval cycles) {
  result_.ledger.*ledger_class += cycles.end - cycles.begin;
  if (observer_ != nullptr) observer_->classed(ledger_class, cycles);
  Cycle outside = 0;
  if (tail_) outside = cycles.end - std::max(cycles.begin, span_end_);
  if (span_end_ == 0) outside = std::min(cycles.end, first_push_) - cycles.begin;
  outside_span_.*ledger_class += std::max<Cycle>(0, outside);
}

void RunAnalysis::end(const MatmulWait& wait) {
  span_end_ = array_.empty(wait.started, wait.rows);
  if (observer_ != nullptr) observer_->streamed(wait, matmuls_.front(), result_.ledger);
  matmuls_.pop_front();
}

void RunAnalysis::begin_tail() {
  tail_ = true;
  if (observer_ != nullptr) observer_->tail();
}

void RunAnalysis::visit(StateVisitor& visitor) {
  clock_.visit(visitor);
  hazards_.visit(visitor, checked_until_);
  ledger_.visit(visitor);
  visitor.cycle(checked_until_);
  visitor.cycle(span_end_);
  std::size_t pending = pending_.size();
  visitor.equal(pending);
  std::uint64_t first = pending_.begin();
  visitor.moving(StateVisitor::Scale::kProgram, first);
  pending_.renumber(first);
  for (std::uint64_t i = first; i < pending_.end(); ++i) {
    visitor.equal(pending_[i].known);
    if (!pending_[i].known) continue;
    visitor.cycle(pending_[i].timing.dispatched);
    visitor.cycle(pending_[i].timing.started);
    visitor.cycle(pending_[i].timing.retired);
  }
  visitor.total(result_.instructions);
  visitor.total(result_.issued_macs);
  visitor.total(result_.traffic.input_bytes);
  visitor.total(result_.traffic.weight_bytes);
  visitor.total(result_.traffic.output_bytes);
  weft::visit(visitor, result_.events);
  visitor.total(last_push_);
  for (const LedgerClass& entry : kLedgerClasses) visitor.total(result_.ledger.*entry.cycles);
  if (observer_ != nullptr) observer_->visit(visitor);
}

}  // namespace weft
