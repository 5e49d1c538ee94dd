#include "sim/analysis/hazard_check.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace weft {
namespace {

constexpr std::string_view kBufferRow = "unified buffer row";
constexpr std::string_view kAccumulatorRow = "accumulator row";
constexpr std::string_view kHostRow = "host row";

}  // namespace

HazardCheck::HazardCheck(const MachineConfig& config, Name name)
    : config_(config), name_(std::move(name)), array_(config) {}

void HazardCheck::check(const Operation& operation, const InstructionTiming& timing) {
  if (!row_failure_.empty()) return;
  timing_ = timing;
  std::visit([this](const auto& op) { check(op); }, operation);
  if (row_failure_.empty()) ++index_;
}

Access HazardCheck::block() const {
  return {index_, 0, 0, timing_.started, timing_.retired - timing_.started + 1};
}

void HazardCheck::check(const Load& load) {
  const Access access = block();
  read(host_, kHostRow, load.host, load.host + load.rows, access, Unit::kLoad);
  write(buffer_, kBufferRow, load.ub, std::uint64_t{load.ub} + load.rows, access);
}

void HazardCheck::check(const Fetch& fetch) {
  check_slot();
  if (!fetch.buffer) return;
  for_each_read(*fetch.buffer, config_,
                [this](const RowTouch& touch) { read_touched(touch, Unit::kFetch); });
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

void HazardCheck::check(const Matmul& matmul) {
  for_each_read(matmul, [this](const RowTouch& touch) { read_touched(touch, Unit::kMatmul); });
  const std::uint64_t end = std::uint64_t{matmul.acc} + matmul.rows;
  const Access access{index_, 1, matmul.acc, timing_.started + array_.front_to_accumulator()};
  // Accumulating reads and writes a row in one cycle. It counts as one access: a write to a row
  // that must have been written before.
  if (matmul.accumulate) {
    if (const auto row = accumulators_.first_unwritten(matmul.acc, end)) {
      fail({*row, Access{}, true, false}, kAccumulatorRow, access);
    }
  }
  write(accumulators_, kAccumulatorRow, matmul.acc, end, access);
}

void HazardCheck::check(const Vector& vector) {
  if (!vector.source) {
    read(accumulators_, kAccumulatorRow, vector.acc, std::uint64_t{vector.acc} + vector.rows,
         {index_, 1, vector.acc, timing_.started}, Unit::kVector);
  }
  Vector others = vector;  // without the destination: reading and writing it is one access
  others.mode = VectorMode::kOverwrite;
  for_each_read(others, config_,
                [this](const RowTouch& touch) { read_touched(touch, Unit::kVector); });
  if (vector.mode != VectorMode::kOverwrite) {
    for_each_write(vector, config_, [this](const RowTouch& touch) { check_old_value(touch); });
  }
  for_each_write(vector, config_, [this](const RowTouch& touch) {
    const Access access = touched(touch, Cycle{config_.vector_latency_cycles} - 1);
    write(buffer_, kBufferRow, touch.row, touch.end(), access);
  });
}

// The access of `touch` if the instruction's index 0 happens `delay` cycles after its start.
Access HazardCheck::touched(const RowTouch& touch, Cycle delay) const {
  const auto group = static_cast<std::uint32_t>(touch.group * touch.step);
  return {index_, group, touch.row, timing_.started + touch.first_index + delay, touch.length};
}

void HazardCheck::read_touched(const RowTouch& touch, Unit reader) {
  read(buffer_, kBufferRow, touch.row, touch.end(), touched(touch, 0), reader, touch.rows());
}

void HazardCheck::check_old_value(const RowTouch& touch) {
  const Access access = touched(touch, 0);
  const auto conflict = buffer_.check_read(touch.row, touch.end(), access);
  if (conflict) fail(*conflict, kBufferRow, access);
}

void HazardCheck::check(const Store& store) {
  const Access access = block();
  read(buffer_, kBufferRow, store.ub, std::uint64_t{store.ub} + store.rows, access, Unit::kStore);
  write(host_, kHostRow, store.host, store.host + store.rows, access);
}

void HazardCheck::read(RowHistory& memory, std::string_view what, std::uint64_t begin,
                       std::uint64_t end, const Access& access, Unit reader, const RowClass& rows) {
  if (auto conflict = memory.read(begin, end, access, reader, rows)) fail(*conflict, what, access);
}

void HazardCheck::write(RowHistory& memory, std::string_view what, std::uint64_t begin,
                        std::uint64_t end, const Access& access) {
  if (auto conflict = memory.write(begin, end, access)) fail(*conflict, what, access);
}

// Keeps the first conflict: the run is not over, and a stuck machine is the graver error.
void HazardCheck::fail(const Conflict& conflict, std::string_view what, const Access& access) {
  if (!row_failure_.empty()) return;
  const Cycle cycle = access.first(conflict.row);
  row_failure_ = fmt::format("hazard in cycle {}: {} {} {} {}", cycle, name_(index_),
                             conflict.later_writes ? "writes" : "reads", what, conflict.row);
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
  buffer_.visit(visitor, dispatched);
  accumulators_.visit(visitor, dispatched);
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
