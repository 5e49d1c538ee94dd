#include "sim/timing/analytic_clock.h"

#include <algorithm>

#include "sim/timing/analytic_transfers-inl.h"
#include "sim/timing/transfers.h"

namespace weft {
namespace {

// Instructions after which the clock forgets what nobody can ask for. More would save no time.
constexpr std::uint32_t kForgetEvery = 64;

/// Collects the nodes of all events from which later ones can follow.
class LiveEvents final : public StateVisitor {
 public:
  const std::vector<PathRecorder::Node*>& nodes() const { return nodes_; }

  void path(PathRecorder&, std::uint32_t& node, bool settled) override {
    if (settled) node = PathRecorder::kStart;
    nodes_.push_back(&node);
  }

 private:
  std::int64_t visit(std::int64_t value, Kind, Scale, Units) override { return value; }

  std::vector<PathRecorder::Node*> nodes_;
};

}  // namespace

// The recurrences are solved in any order in which their right-hand sides are known. Only a channel
// that several units share needs time order. It is granted when nothing else can be solved: every
// unit whose next transfer is still unknown then waits for a later cycle than this grant's.

template <class Times>
BasicClock<Times>::BasicClock(const MachineConfig& config, ClockObserver& observer, Times times)
    : config_(config),
      observer_(observer),
      times_(times),
      array_(config),
      shared_(channel_of(Opcode::kLoad, config.memory_kind)) {
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    channels_.emplace_back(config.clock_hz, bytes_per_second(static_cast<Channel>(c), config));
  }
}

template <class Times>
typename BasicClock<Times>::WaitingInstruction BasicClock<Times>::waiting(
    const Instruction& instruction) const {
  WaitingInstruction waiting;
  waiting.after = instruction.after;
  waiting.index = dispatched_;
  waiting.group = times_.group();
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

template <class Times>
bool BasicClock<Times>::accept(const Instruction& instruction) {
  WaitingInstruction next = waiting(instruction);
  if (instruction.opcode() == Opcode::kFetch) times_.tile_accepted();
  while (!dispatch(instruction.unit(), next)) {
    if (!settle() && !grant()) return false;
  }
  // The frontier needs that every push is known that no later start decides.
  while (push_tile()) {
  }
  if (++until_forget_ >= kForgetEvery) {
    forget();
    forget_paths();
  }
  return true;
}

template <class Times>
bool BasicClock<Times>::finish() {
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

template <class Times>
RunProgress BasicClock<Times>::progress() const {
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
template <class Times>
Cycle BasicClock<Times>::frontier() const {
  Cycle frontier = last_dispatch_.cycle;
  for (const UnitQueue& queue : queues_) {
    if (!queue.waiting.empty()) {
      frontier = std::min(frontier, queue.waiting.front().dispatched.cycle);
    }
  }
  return frontier;
}

// --- Sequencer ---

// Makes one pass over the steps that need no arbitration. Returns true if anything moved.
template <class Times>
bool BasicClock<Times>::settle() {
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
template <class Times>
bool BasicClock<Times>::dispatch(Unit unit, WaitingInstruction& next) {
  UnitQueue& to = queues_[unit];
  Candidate cycle = times_.after(last_dispatch_, 1, PathPart::kDispatch);
  if (dispatched_ == 0) cycle = Candidate(Time{});
  if (to.dispatched() >= config_.queue_depth) {
    const std::uint64_t holder = to.dispatched() - config_.queue_depth;
    if (holder >= to.started()) return false;
    if (holder >= to.finished.begin()) {
      cycle = latest(cycle, times_.after(to.finished[holder].started, 1, PathPart::kQueueFull));
    }
  }
  last_dispatch_ = times_.reach(cycle, next.group);
  next.dispatched = last_dispatch_;
  to.waiting.push_back(next);
  ++dispatched_;
  return true;
}

// The first cycle in which dispatch and `after` let the unit's head start; nullopt if unknown.
template <class Times>
std::optional<typename BasicClock<Times>::Candidate> BasicClock<Times>::ready(Unit unit) const {
  const UnitQueue& own = queues_[unit];
  if (own.waiting.empty()) return std::nullopt;
  const WaitingInstruction& head = own.waiting.front();
  Candidate cycle = times_.after(head.dispatched, 1, PathPart::kDispatch);
  for (const Unit other : kUnits) {
    const std::uint32_t count = head.after[other];
    if (count == 0) continue;
    if (count > queues_[other].started()) return std::nullopt;
    cycle = latest(cycle, Candidate(retired_by(other, count)));
  }
  return cycle;
}

template <class Times>
typename BasicClock<Times>::Time BasicClock<Times>::retired_by(Unit unit,
                                                               std::uint64_t count) const {
  const SlidingWindow<Finished>& finished = queues_[unit].finished;
  if (count == 0 || count <= finished.begin()) return {};
  return finished[count - 1].done;
}

// `free`: when the unit can start the next instruction.
template <class Times>
void BasicClock<Times>::record(Unit unit, Time start, Time free, Candidate done) {
  UnitQueue& own = queues_[unit];
  const WaitingInstruction& head = own.waiting.front();
  const Time over = times_.reach(done, head.group);
  const InstructionTiming timing{head.dispatched.cycle, start.cycle, checked(over.cycle - 1)};
  const std::uint64_t index = head.index;
  own.free = free;
  own.last_done = over;
  own.finished.push_back({start, over});
  own.waiting.pop_front();
  last_done_ = latest(last_done_, over);
  observer_.started(index, unit, timing);
}

// --- matmul ---

// The recurrence for W, a tile's first push. At most one pushed tile waits for its matmul: the
// shadow registers, or without them the matmul at the head of the queue, take no other.
template <class Times>
bool BasicClock<Times>::push_tile() {
  if (pushed_ >= queues_[Unit::kFetch].started()) return false;
  const auto free = config_.double_buffer ? shadow_free() : array_free();
  if (!free) return false;
  Candidate cycle = latest(*free, Candidate(retired_by(Unit::kFetch, pushed_ + 1)));
  cycle = latest(cycle, Candidate(last_push_end_));
  const std::uint32_t group = times_.tile_pushed();
  const Time push = times_.reach(cycle, group);
  last_push_end_ = reach(push, array_.push(), PathPart::kWeightShift, group);
  ++pushed_;
  observer_.pushed(push.cycle);
  return true;
}

// Double-buffered: the cycle in which the swap of the previous tile has passed PE(0,0).
template <class Times>
std::optional<typename BasicClock<Times>::Candidate> BasicClock<Times>::shadow_free() const {
  if (swapped_ < pushed_) return std::nullopt;
  return Candidate(last_swap_);
}

// Not double-buffered: the cycle in which the array is empty and the matmul that takes the tile is
// the head of its queue.
template <class Times>
std::optional<typename BasicClock<Times>::Candidate> BasicClock<Times>::array_free() const {
  const UnitQueue& matmuls = queues_[Unit::kMatmul];
  if (swapped_ < pushed_ || matmuls.waiting.empty() || !matmuls.waiting.front().swaps) {
    return std::nullopt;
  }
  return latest(times_.after(matmuls.waiting.front().dispatched, 1, PathPart::kDispatch),
                Candidate(array_empty_));
}

// The recurrence for A, the cycle in which a matmul's first row enters.
template <class Times>
bool BasicClock<Times>::start_matmul() {
  auto cycle = ready(Unit::kMatmul);
  if (!cycle) return false;
  const UnitQueue& own = queues_[Unit::kMatmul];
  const WaitingInstruction head = own.waiting.front();
  if (head.swaps && pushed_ <= swapped_) return false;
  MatmulWait wait;
  wait.index = head.index;
  wait.rows = head.rows;
  wait.swaps = head.swaps;
  wait.loads_until = retired_by(Unit::kLoad, head.after[Unit::kLoad]).cycle;
  wait.vectors_until = retired_by(Unit::kVector, head.after[Unit::kVector]).cycle;
  cycle = latest(*cycle, Candidate(own.free));
  if (head.swaps) {
    if (!config_.double_buffer) wait.drained_until = array_empty_.cycle;
    wait.tile_until = retired_by(Unit::kFetch, ++swapped_).cycle;
    cycle = latest(*cycle, Candidate(last_push_end_));
  }
  const Time start = times_.reach(*cycle, head.group);
  if (head.swaps) last_swap_ = start;
  const Time free = reach(start, Cycle{head.rows}, PathPart::kArray, head.group);
  if (!config_.double_buffer) {
    array_empty_ = reach(free, array_.front_to_last_pe(), PathPart::kDrain, head.group);
  }
  wait.started = start.cycle;
  record(Unit::kMatmul, start, free,
         times_.after(free, array_.front_to_accumulator(), PathPart::kDrain));
  observer_.waited(wait);
  return true;
}

// --- vector ---

template <class Times>
bool BasicClock<Times>::start_vector() {
  const auto cycle = ready(Unit::kVector);
  if (!cycle) return false;
  const UnitQueue& own = queues_[Unit::kVector];
  const WaitingInstruction& head = own.waiting.front();
  const Time start = times_.reach(latest(*cycle, Candidate(own.free)), head.group);
  const Time free = reach(start, Cycle{head.rows}, PathPart::kVector, head.group);
  record(Unit::kVector, start, free,
         times_.after(free, vector_drain(config_), PathPart::kVectorLatency));
  return true;
}

// --- what is kept ---

// Retirements before this cycle decide nothing: every later start comes after the frontier, and the
// cycles that the next matmul has waited begin after the last row that entered.
template <class Times>
Cycle BasicClock<Times>::kept_from() const {
  return std::min(frontier(), queues_[Unit::kMatmul].free.cycle);
}

template <class Times>
void BasicClock<Times>::forget() {
  until_forget_ = 0;
  const Cycle from = kept_from();
  for (UnitQueue& queue : queues_) {
    while (!queue.finished.empty() && queue.finished.front().done.cycle <= from) {
      queue.finished.pop_front();
    }
  }
}

template <class Times>
void BasicClock<Times>::forget_paths() {
  if constexpr (Times::kWithPaths) {
    if (!times_.recorder().full()) return;
    LiveEvents live;
    visit(live);
    times_.recorder().compact(live.nodes());
  }
}

template <class Times>
void BasicClock<Times>::visit(StateVisitor& visitor) {
  forget();
  const Cycle at = frontier();
  for (ChannelClock& channel : channels_) channel.forget_before(at);
  visitor.origin(StateVisitor::Scale::kCycle, last_dispatch_.cycle);
  visitor.origin(StateVisitor::Scale::kProgram, dispatched_);
  for (const Unit unit : kUnits) {
    std::uint64_t started = queues_[unit].started();
    visitor.origin(StateVisitor::of_unit(unit), started);
    queues_[unit].waiting.renumber(started);
  }
  for (const Unit unit : kUnits) visit(visitor, unit, at);
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const bool settled = channels_[c].free_cycle() <= at;
    channels_[c].visit(visitor, at);
    channel_free_[c].cycle = channels_[c].free_cycle();
    visit_path(visitor, channel_free_[c], settled);
  }
  visit_path(visitor, last_dispatch_, false);
  visitor.cycle(last_done_.cycle);
  visit_path(visitor, last_done_, false);
  visit(visitor, buffer_port_free_, buffer_port_free_.cycle <= at, at);
  visitor.moving(StateVisitor::of_unit(Unit::kFetch), pushed_);
  visit(visitor, last_push_end_, last_push_end_.cycle <= at, at);
  visitor.moving(StateVisitor::of_unit(Unit::kFetch), swapped_);
  visit(visitor, last_swap_, last_swap_.cycle <= at, at);
  visit(visitor, array_empty_, array_empty_.cycle <= at, at);
}

template <class Times>
void BasicClock<Times>::visit(StateVisitor& visitor, Unit unit, Cycle at) {
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
    visitor.cycle(each.dispatched.cycle);
    visit_path(visitor, each.dispatched, false);
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
    visit(visitor, own.finished[i].started, own.finished[i].started.cycle <= at, at);
    visit(visitor, own.finished[i].done, false, at);
  }
  // The array is busy for longer after a start than the other units.
  visit(visitor, own.free, own.free.cycle + array_.front_to_last_pe() <= at, at);
  visit(visitor, own.last_done, own.last_done.cycle <= at, at);
}

template <class Times>
void BasicClock<Times>::visit(StateVisitor& visitor, Time& time, bool settled, Cycle at) {
  const bool decides_nothing = time.cycle <= at;  // before the visitor moves it
  visitor.cycle(time.cycle, settled);
  visit_path(visitor, time, decides_nothing);
}

template <class Times>
void BasicClock<Times>::visit_path(StateVisitor& visitor, Time& time, bool settled) {
  if constexpr (Times::kWithPaths) visitor.path(times_.recorder(), time.node, settled);
}

template class BasicClock<PlainTimes>;
template class BasicClock<PathTimes>;

}  // namespace weft
