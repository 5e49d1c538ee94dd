#include "sim/timing/analytic_clock.h"

#include <algorithm>

#include "sim/timing/transfers.h"

namespace weft {
namespace {

constexpr std::array<Unit, 3> kTransferUnits = {Unit::kLoad, Unit::kFetch, Unit::kStore};
// Instructions after which the clock forgets what nobody can ask for. More would save no time.
constexpr std::uint32_t kForgetEvery = 64;

}  // namespace

// The recurrences are solved in any order in which their right-hand sides are known. Only a channel
// that several units share needs time order. It is granted when nothing else can be solved: every
// unit whose next transfer is still unknown then waits for a later cycle than this grant's.

AnalyticClock::AnalyticClock(const MachineConfig& config, ClockObserver& observer)
    : config_(config),
      observer_(observer),
      array_(config),
      shared_(channel_of(Opcode::kLoad, config.memory_kind)) {
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    channels_.emplace_back(config.clock_hz, bytes_per_second(static_cast<Channel>(c), config));
  }
}

AnalyticClock::WaitingInstruction AnalyticClock::waiting(const Instruction& instruction) const {
  WaitingInstruction waiting;
  waiting.after = instruction.after;
  waiting.index = dispatched_;
  if (const auto* matmul = std::get_if<Matmul>(&instruction.operation)) {
    waiting.rows = matmul->rows;
    waiting.swaps = matmul->next_weights;
  } else if (const auto* vector = std::get_if<Vector>(&instruction.operation)) {
    waiting.rows = vector->rows;
  } else {
    waiting.request = transfer_request(instruction.operation, config_);
    waiting.reads = buffer_read_cycles(instruction.operation, config_);
    waiting.writes = row_write_cycles(instruction.operation);
  }
  return waiting;
}

bool AnalyticClock::accept(const Instruction& instruction) {
  WaitingInstruction next = waiting(instruction);
  while (!dispatch(instruction.unit(), next)) {
    if (!settle() && !grant()) return false;
  }
  // The frontier needs that every push is known that no later start decides.
  while (push_tile()) {
  }
  if (++until_forget_ >= kForgetEvery) forget();
  return true;
}

bool AnalyticClock::finish() {
  const auto done = [this] {
    return std::ranges::all_of(queues_,
                               [](const UnitQueue& queue) { return queue.waiting.empty(); });
  };
  while (true) {
    while (settle()) {
    }
    if (done()) return true;
    if (!grant()) return false;
  }
}

RunProgress AnalyticClock::progress() const {
  RunProgress progress;
  progress.dispatched = static_cast<std::uint32_t>(dispatched_);
  progress.tiles_pushed = static_cast<std::uint32_t>(pushed_);
  for (const Unit unit : kUnits) {
    progress.started[unit] = static_cast<std::uint32_t>(queues_[unit].started());
  }
  return progress;
}

// Whatever waits starts after the cycle in which it was dispatched, and whatever is still to come
// is dispatched after the last dispatch. A tile that is not pushed yet waits for such a start.
Cycle AnalyticClock::frontier() const {
  Cycle frontier = last_dispatch_;
  for (const UnitQueue& queue : queues_) {
    if (!queue.waiting.empty()) {
      frontier = std::min(frontier, queue.waiting.front().dispatched);
    }
  }
  return frontier;
}

// --- Sequencer ---

// Makes one pass over the steps that need no arbitration. Returns true if anything moved.
bool AnalyticClock::settle() {
  bool moved = false;
  for (const Unit unit : kTransferUnits) {
    while (!arbitrated(unit) && start_transfer(unit)) moved = true;
  }
  while (push_tile()) moved = true;
  while (start_matmul()) {
    moved = true;
    push_tile();
  }
  while (start_vector()) moved = true;
  return moved;
}

// A slot is free from the cycle after the start of the instruction that held it.
bool AnalyticClock::dispatch(Unit unit, WaitingInstruction& next) {
  UnitQueue& to = queues_[unit];
  next.dispatched = last_dispatch_ + 1;
  if (to.dispatched() >= config_.queue_depth) {
    const std::uint64_t holder = to.dispatched() - config_.queue_depth;
    if (holder >= to.started()) return false;
    if (holder >= to.finished.begin()) {
      next.dispatched = std::max(next.dispatched, to.finished[holder].started + 1);
    }
  }
  last_dispatch_ = next.dispatched;
  to.waiting.push_back(next);
  ++dispatched_;
  return true;
}

// The first cycle in which dispatch and `after` let the unit's head start; nullopt if unknown.
std::optional<Cycle> AnalyticClock::ready(Unit unit) const {
  const UnitQueue& own = queues_[unit];
  if (own.waiting.empty()) return std::nullopt;
  const WaitingInstruction& head = own.waiting.front();
  Cycle cycle = head.dispatched + 1;
  for (const Unit other : kUnits) {
    const std::uint32_t count = head.after[other];
    if (count == 0) continue;
    if (count > queues_[other].started()) return std::nullopt;
    cycle = std::max(cycle, retired_by(other, count));
  }
  return cycle;
}

Cycle AnalyticClock::retired_by(Unit unit, std::uint64_t count) const {
  const SlidingWindow<Finished>& finished = queues_[unit].finished;
  if (count == 0 || count <= finished.begin()) return 0;
  return finished[count - 1].retired + 1;
}

void AnalyticClock::record(Unit unit, Cycle start, Cycle retired) {
  UnitQueue& own = queues_[unit];
  const WaitingInstruction& head = own.waiting.front();
  const InstructionTiming timing{head.dispatched, start, checked(retired)};
  const std::uint64_t index = head.index;
  own.last_rows = head.rows;
  own.last_started = start;
  own.last_retired = retired;
  own.finished.push_back({start, retired});
  own.waiting.pop_front();
  last_retired_ = std::max(last_retired_, retired);
  observer_.started(index, unit, timing);
}

// --- load, fetch, store ---

// Whether the unit has a head and its head needs a channel that other units share.
bool AnalyticClock::arbitrated(Unit unit) const {
  if (!shared_ || queues_[unit].waiting.empty()) return false;
  const auto& request = queues_[unit].waiting.front().request;
  return request && request->channel == shared_;
}

// A unit starts transfers in order: no earlier than its previous start.
std::optional<Cycle> AnalyticClock::transfer_ready(Unit unit) const {
  const auto cycle = ready(unit);
  if (!cycle) return cycle;
  return std::max(*cycle, queues_[unit].last_started);
}

bool AnalyticClock::start_transfer(Unit unit) {
  const auto cycle = transfer_ready(unit);
  if (!cycle) return false;
  const WaitingInstruction& head = queues_[unit].waiting.front();
  if (!head.request) {
    read_buffer(*cycle, head.reads);
  } else if (!head.request->channel) {
    record_transfer(unit, *cycle, written(head.writes, *cycle, *cycle));
  } else {
    const Channel channel = *head.request->channel;
    const Cycle latency = latency_cycles(channel, config_);
    const Cycle start = std::max(*cycle, clock_of(channel).free_cycle());
    const Cycle last_byte = clock_of(channel).occupy(*cycle, *head.request);
    record_transfer(unit, start, written(head.writes, start + latency, last_byte + latency));
  }
  return true;
}

// The cycle in which a load writes the last of `rows` patches. It writes one a cycle, none before
// the first byte and after the load before it, and the last one no earlier than the last byte.
Cycle AnalyticClock::written(Cycle rows, Cycle first_byte, Cycle last_byte) const {
  if (rows == 0) return last_byte;
  const Cycle from = std::max(first_byte, queues_[Unit::kLoad].last_retired + 1);
  return std::max(last_byte, from + rows - 1);
}

// The port is free when the previous fetch from the buffer has read its last row.
void AnalyticClock::read_buffer(Cycle ready, Cycle reads) {
  const Cycle start = std::max(ready, buffer_port_free_);
  buffer_port_free_ = start + reads;
  record_transfer(Unit::kFetch, start, start + reads - 1);
}

// Transfers arrive in order: a tile from memory waits for one that is still read from the buffer.
void AnalyticClock::record_transfer(Unit unit, Cycle start, Cycle arrived) {
  record(unit, start, std::max(arrived, queues_[unit].last_retired));
}

// Gives the shared channel to the oldest transfer that waits when the channel becomes free.
bool AnalyticClock::grant() {
  Cycle first_ready = kMaxCycle;
  for (const Unit unit : kTransferUnits) {
    if (!arbitrated(unit)) continue;
    if (const auto cycle = transfer_ready(unit)) first_ready = std::min(first_ready, *cycle);
  }
  if (first_ready == kMaxCycle) return false;
  const Cycle free = clock_of(*shared_).free_cycle();
  return start_transfer(oldest_ready_by(std::max(first_ready, free)));
}

Unit AnalyticClock::oldest_ready_by(Cycle cycle) const {
  Unit oldest = Unit::kLoad;
  std::uint64_t oldest_index = dispatched_;
  for (const Unit unit : kTransferUnits) {
    if (!arbitrated(unit)) continue;
    const auto ready_cycle = transfer_ready(unit);
    if (!ready_cycle || *ready_cycle > cycle) continue;
    const std::uint64_t index = queues_[unit].waiting.front().index;
    if (index < oldest_index) {
      oldest_index = index;
      oldest = unit;
    }
  }
  return oldest;
}

// --- matmul ---

// The recurrence for W, a tile's first push. At most one pushed tile waits for its matmul: the
// shadow registers, or without them the matmul at the head of the queue, take no other.
bool AnalyticClock::push_tile() {
  if (pushed_ >= queues_[Unit::kFetch].started()) return false;
  const auto free = config_.double_buffer ? shadow_free() : array_free();
  if (!free) return false;
  Cycle cycle = std::max(*free, retired_by(Unit::kFetch, pushed_ + 1));
  if (pushed_ > 0) cycle = std::max(cycle, last_push_ + array_.push());
  last_push_ = cycle;
  ++pushed_;
  observer_.pushed(cycle);
  return true;
}

// Double-buffered: the cycle in which the swap of the previous tile has passed PE(0,0).
std::optional<Cycle> AnalyticClock::shadow_free() const {
  if (swapped_ < pushed_) return std::nullopt;
  return pushed_ == 0 ? 0 : last_swap_;
}

// Not double-buffered: the cycle in which the array is empty and the matmul that takes the tile is
// the head of its queue.
std::optional<Cycle> AnalyticClock::array_free() const {
  const UnitQueue& matmuls = queues_[Unit::kMatmul];
  if (swapped_ < pushed_ || matmuls.waiting.empty() || !matmuls.waiting.front().swaps) {
    return std::nullopt;
  }
  const Cycle cycle = matmuls.waiting.front().dispatched + 1;
  if (matmuls.started() == 0) return cycle;
  return std::max(cycle, array_.empty(matmuls.last_started, matmuls.last_rows));
}

// The recurrence for A, the cycle in which a matmul's first row enters.
bool AnalyticClock::start_matmul() {
  const auto ready_cycle = ready(Unit::kMatmul);
  if (!ready_cycle) return false;
  const UnitQueue& own = queues_[Unit::kMatmul];
  const WaitingInstruction head = own.waiting.front();
  if (head.swaps && pushed_ <= swapped_) return false;
  MatmulWait wait;
  wait.index = head.index;
  wait.rows = head.rows;
  wait.swaps = head.swaps;
  wait.loads_until = retired_by(Unit::kLoad, head.after[Unit::kLoad]);
  wait.vectors_until = retired_by(Unit::kVector, head.after[Unit::kVector]);
  wait.started = *ready_cycle;
  if (own.started() > 0) {
    wait.started = std::max(wait.started, own.last_started + Cycle{own.last_rows});
    if (head.swaps && !config_.double_buffer) {
      wait.drained_until = array_.empty(own.last_started, own.last_rows);
    }
  }
  if (head.swaps) {
    wait.tile_until = retired_by(Unit::kFetch, ++swapped_);
    wait.started = std::max(wait.started, last_push_ + array_.push());
    last_swap_ = wait.started;
  }
  record(Unit::kMatmul, wait.started, array_.retire(wait.started, head.rows));
  observer_.waited(wait);
  return true;
}

// --- vector ---

bool AnalyticClock::start_vector() {
  auto cycle = ready(Unit::kVector);
  if (!cycle) return false;
  const UnitQueue& own = queues_[Unit::kVector];
  if (own.started() > 0) cycle = std::max(*cycle, own.last_started + Cycle{own.last_rows});
  record(Unit::kVector, *cycle, vector_retire(*cycle, own.waiting.front().rows, config_));
  return true;
}

// --- what is kept ---

// Retirements before this cycle decide nothing: every later start comes after the frontier, and the
// cycles that the next matmul has waited begin after the last row that entered.
Cycle AnalyticClock::kept_from() const {
  const UnitQueue& matmuls = queues_[Unit::kMatmul];
  const Cycle streamed_until =
      matmuls.started() == 0 ? 0 : matmuls.last_started + Cycle{matmuls.last_rows};
  return std::min(frontier(), streamed_until);
}

void AnalyticClock::forget() {
  until_forget_ = 0;
  const Cycle from = kept_from();
  for (UnitQueue& queue : queues_) {
    while (!queue.finished.empty() && queue.finished.front().retired < from) {
      queue.finished.pop_front();
    }
  }
}

void AnalyticClock::visit(StateVisitor& visitor) {
  forget();
  const Cycle at = frontier();
  for (ChannelClock& channel : channels_) channel.forget_before(at);
  visitor.origin(StateVisitor::Scale::kCycle, last_dispatch_);
  visitor.origin(StateVisitor::Scale::kProgram, dispatched_);
  for (const Unit unit : kUnits) {
    std::uint64_t started = queues_[unit].started();
    visitor.origin(StateVisitor::of_unit(unit), started);
    queues_[unit].waiting.renumber(started);
  }
  for (const Unit unit : kUnits) visit(visitor, unit, at);
  for (ChannelClock& channel : channels_) channel.visit(visitor, at);
  visitor.cycle(last_retired_);
  visitor.cycle(buffer_port_free_, buffer_port_free_ <= at);
  visitor.moving(StateVisitor::of_unit(Unit::kFetch), pushed_);
  visitor.cycle(last_push_, last_push_ + array_.push() <= at);
  visitor.moving(StateVisitor::of_unit(Unit::kFetch), swapped_);
  visitor.cycle(last_swap_, last_swap_ <= at);
}

void AnalyticClock::visit(StateVisitor& visitor, Unit unit, Cycle at) {
  UnitQueue& own = queues_[unit];
  std::size_t waiting = own.waiting.size();
  visitor.equal(waiting);
  for (std::uint64_t i = own.waiting.begin(); i < own.waiting.end(); ++i) {
    WaitingInstruction& each = own.waiting[i];
    for (const Unit other : kUnits) {
      std::uint32_t& count = each.after[other];
      const bool settled = count <= queues_[other].finished.begin();
      visitor.moving(StateVisitor::of_unit(other), count,
                     settled ? StateVisitor::kAllUnits : StateVisitor::kNoUnit);
    }
    visitor.moving(StateVisitor::Scale::kProgram, each.index);
    visitor.cycle(each.dispatched);
    // The address decides no cycle.
    std::uint64_t bytes = each.request ? each.request->bytes : 0;
    visitor.equal(bytes);
    visitor.equal(each.reads);
    visitor.equal(each.writes);
    visitor.equal(each.rows);
    visitor.equal(each.swaps);
  }
  std::size_t finished = own.finished.size();
  visitor.equal(finished);
  std::uint64_t begin = own.finished.begin();
  visitor.moving(StateVisitor::of_unit(unit), begin);
  own.finished.renumber(begin);
  for (std::uint64_t i = begin; i < own.finished.end(); ++i) {
    visitor.cycle(own.finished[i].started, own.finished[i].started <= at);
    visitor.cycle(own.finished[i].retired);
  }
  // The array is busy for longer after a start than the other units.
  const Cycle busy_until = array_.empty(own.last_started, own.last_rows);
  visitor.cycle(own.last_started, busy_until <= at);
  visitor.cycle(own.last_retired, own.last_retired <= at);
  visitor.equal(own.last_rows);
}

}  // namespace weft
