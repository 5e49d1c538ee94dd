#include "sim/analysis/hazards/hazard_check.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.h"

namespace weft {
namespace {

/// What a message calls a row, in the order of RowMemory.
constexpr std::array<std::string_view, 3> kRows = {"host row", "unified buffer row",
                                                   "accumulator row"};

}  // namespace

HazardCheck::HazardCheck(const MachineConfig& config, InstructionName name)
    : config_(config), name_(std::move(name)), array_(config) {}

void HazardCheck::check(const Operation& operation, const InstructionTiming& timing) {
  if (!row_failure_.empty()) return;
  timing_ = timing;
  if (opcode_of(operation) == Opcode::kFetch) check_slot();
  const Unit unit = unit_of(operation);
  for_each_access(operation, config_, [&](const RowAccess& access) { check(access, unit); });
  if (row_failure_.empty()) ++index_;
}

// --- The slots of the weight FIFO ---

void HazardCheck::check_slot() {
  const std::uint64_t tile = fetches_.end();
  fetches_.push_back(index_);
  if (tile < config_.weight_fifo_tiles) return;
  const std::uint64_t evicted = tile - config_.weight_fifo_tiles;
  SlotUse use{index_, fetches_[evicted], tile, timing_.started};
  fetches_.drop_before(evicted + 1);
  if (evicted >= pushes_.end()) {
    undecided_.push_back(use);
    return;
  }
  use.pushed = pushes_[evicted];
  pushes_.drop_before(evicted + 1);
  decide(use);
}

void HazardCheck::pushed(Cycle cycle) {
  pushes_.push_back(cycle);
  if (undecided_.empty()) return;
  SlotUse use = undecided_.front();
  if (use.tile - config_.weight_fifo_tiles + 1 != pushes_.end()) return;
  use.pushed = cycle;
  undecided_.pop_front();
  pushes_.drop_before(pushes_.end());
  decide(use);
}

// Fetches start in order, so the first that fails is the first in the program.
void HazardCheck::decide(SlotUse use) {
  if (slot_failure_) return;
  if (use.pushed == kNever || use.started < use.pushed + array_.push()) slot_failure_ = use;
}

std::string HazardCheck::slot_message(const SlotUse& use, Cycle total) const {
  return fmt::format(
      "hazard in cycle {}: {} overwrites weight FIFO slot {} of {}, which holds the tile of {} "
      "{}; wait for the matmul that takes that tile",
      use.started, name_(use.fetch), use.tile % config_.weight_fifo_tiles,
      config_.weight_fifo_tiles, name_(use.evicts),
      use.pushed < total ? fmt::format("until cycle {}", use.pushed + array_.push() - 1)
                         : std::string("for ever"));
}

void HazardCheck::finish(Cycle total) {
  for (; !undecided_.empty(); undecided_.pop_front()) decide(undecided_.front());
  if (slot_failure_ && (row_failure_.empty() || slot_failure_->fetch <= index_)) {
    throw HazardError(slot_message(*slot_failure_, total));
  }
  if (!row_failure_.empty()) throw HazardError(row_failure_);
}

// --- Rows ---

Access HazardCheck::in_cycles(const RowAccess& access) const {
  if (access.moment == Moment::kTransfer) {
    return {index_, 0, 0, timing_.started, timing_.retired - timing_.started + 1};
  }
  const RowTouch& touch = access.touch;
  const auto group = static_cast<std::uint32_t>(touch.group * touch.step);
  const Cycle begin = timing_.started + touch.first_index + delay_of(access.moment, config_);
  return {index_, group, touch.row, begin, touch.length};
}

void HazardCheck::check(const RowAccess& access, Unit unit) {
  const Access in_time = in_cycles(access);
  if (const auto conflict = record(access, in_time, unit)) fail(*conflict, access.memory, in_time);
}

std::optional<Conflict> HazardCheck::record(const RowAccess& access, const Access& in_time,
                                            Unit unit) {
  RowHistory& rows = memory(access.memory);
  const RowTouch& touch = access.touch;
  switch (access.kind) {
    case AccessKind::kRead:
      return rows.read(touch.row, touch.end(), in_time, unit, touch.rows());
    case AccessKind::kReadOld:
      return rows.check_read(touch.row, touch.end(), in_time);
    case AccessKind::kCombine:
      // The array reads and writes a row in one cycle. That counts as one access: a write to a row
      // that must have been written before. Others have read the old value before (kReadOld).
      if (access.moment != Moment::kAccumulated) break;
      if (const auto row = rows.first_unwritten(touch.row, touch.end())) {
        return Conflict{*row, Access{}, true, false};
      }
      break;
    case AccessKind::kWrite:
      break;
  }
  return rows.write(touch.row, touch.end(), in_time);
}

// Keeps the first conflict: the run is not over, and a stuck machine is the graver error.
void HazardCheck::fail(const Conflict& conflict, RowMemory memory, const Access& access) {
  if (!row_failure_.empty()) return;
  const Cycle cycle = access.first(conflict.row);
  row_failure_ = fmt::format("hazard in cycle {}: {} {} {} {}", cycle, name_(index_),
                             conflict.later_writes ? "writes" : "reads",
                             kRows[static_cast<std::size_t>(memory)], conflict.row);
  const Access& earlier = conflict.earlier;
  if (!earlier.happened()) {
    row_failure_ += ", which no earlier instruction has written";
    return;
  }
  row_failure_ += fmt::format(", which {} {} cycle {}", name_(earlier.instruction),
                              conflict.earlier_writes ? "writes at the end of" : "reads until",
                              earlier.last(conflict.row));
}

void HazardCheck::visit(StateVisitor& visitor, Cycle dispatched) {
  visitor.moving(StateVisitor::Scale::kProgram, index_);
  // Host rows move with the loop, and no row that is written is touched again: InstructionStream.
  memory(RowMemory::kBuffer).visit(visitor, dispatched);
  memory(RowMemory::kAccumulators).visit(visitor, dispatched);
  const auto fetch_scale = StateVisitor::of_unit(Unit::kFetch);
  std::size_t fetches = fetches_.size();
  visitor.equal(fetches);
  std::uint64_t first = fetches_.begin();
  visitor.moving(fetch_scale, first);
  fetches_.renumber(first);
  for (std::uint64_t i = first; i < fetches_.end(); ++i) {
    // Only messages name it.
    visitor.moving(StateVisitor::Scale::kProgram, fetches_[i], StateVisitor::kAllUnits);
  }
  std::size_t pushes = pushes_.size();
  visitor.equal(pushes);
  first = pushes_.begin();
  visitor.moving(fetch_scale, first);
  pushes_.renumber(first);
  // Later fetches are dispatched after `dispatched`: an older push frees its slot in time.
  for (std::uint64_t i = first; i < pushes_.end(); ++i) {
    visitor.cycle(pushes_[i], pushes_[i] + array_.push() <= dispatched);
  }
  std::size_t undecided = undecided_.size();
  visitor.equal(undecided);
  for (std::uint64_t i = undecided_.begin(); i < undecided_.end(); ++i) {
    SlotUse& use = undecided_[i];
    visitor.moving(StateVisitor::Scale::kProgram, use.fetch);
    visitor.moving(StateVisitor::Scale::kProgram, use.evicts, StateVisitor::kAllUnits);
    visitor.moving(fetch_scale, use.tile);
    visitor.cycle(use.started);
  }
  bool failed = slot_failure_.has_value() || !row_failure_.empty();
  visitor.equal(failed);
}

void check_hazards(const MachineConfig& config, const Program& program, const Timeline& timeline) {
  HazardCheck check(config, [&](std::uint64_t index) { return instruction_name(program, index); });
  for (const Cycle push : timeline.pushes) check.pushed(push);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    check.check(program.code[i].operation, timeline.instructions[i]);
  }
  check.finish(std::numeric_limits<Cycle>::max());
}

}  // namespace weft
