// The recurrences of docs/timing.md, solved while the instructions of a program arrive, without
// SystemC and without values. The clock keeps only what a later instruction can still depend on:
// what waits in the queues, and what has retired since the oldest of these was dispatched.
//
//   accept(i) --> dispatched --> started, pushed, waited --> forgotten
//                 |<---------- kept: queue_depth ---------->|
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/sliding_window.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/run_state.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/channel_clock.h"
#include "sim/timing/event_time.h"
#include "sim/timing/stall_report.h"
#include "sim/timing/timeline.h"
#include "sim/timing/transfers.h"

namespace weft {

/// A matmul that starts, and until when it waited for what: in each cycle before `.._until`, it
/// still waited. The ledger classes the cycles before a matmul by them.
struct MatmulWait {
  std::uint64_t index = 0;  // in the program
  Cycle started = 0;
  std::uint32_t rows = 0;
  bool swaps = false;       // takes the FIFO's next tile
  Cycle tile_until = 0;     // its tile is in the FIFO
  Cycle loads_until = 0;    // the loads that it names have retired
  Cycle vectors_until = 0;  // the vector instructions that it names have retired
  Cycle drained_until = 0;  // the array is empty; 0 with double buffering
};

/// Receives what the clock finds. Each unit's instructions start in order, and tiles are pushed in
/// order, but the units do not take turns in the order of time.
class ClockObserver {
 public:
  ClockObserver() = default;
  ClockObserver(const ClockObserver&) = delete;
  ClockObserver& operator=(const ClockObserver&) = delete;
  virtual ~ClockObserver() = default;

  /// All times of instruction `index` are known.
  virtual void started(std::uint64_t index, Unit unit, const InstructionTiming& timing) = 0;
  /// The next tile of the FIFO is pushed from `cycle` on.
  virtual void pushed(Cycle cycle) = 0;
  /// A matmul starts; comes after its started().
  virtual void waited(const MatmulWait& wait) = 0;
};

/// `Times` says whether the clock remembers how each event was reached (sim/timing/event_time.h).
template <class Times>
class BasicClock {
 public:
  using Time = typename Times::Time;
  using Candidate = typename Times::Candidate;

  /// `config` and `observer` must outlive the clock, and so must the recorder of `times`.
  BasicClock(const MachineConfig& config, ClockObserver& observer, Times times = {});

  /// Takes the program's next instruction and dispatches it. Returns false if it never can be: the
  /// machine is stuck. Throws SimulationError for a run of 2^47 cycles or more.
  [[nodiscard]] bool accept(const Instruction& instruction);
  /// The program is complete: solves the rest. Returns false if the machine is stuck.
  [[nodiscard]] bool finish();

  /// The observer knows all starts and pushes up to and including this cycle.
  Cycle frontier() const;
  /// The cycle in which the last accepted instruction was dispatched.
  Cycle last_dispatch() const { return last_dispatch_.cycle; }
  /// The last retirement so far; -1 without any.
  Cycle last_retired() const { return last_done_.cycle - 1; }
  /// The cycle after it, and how it was reached.
  Time last_done() const { return last_done_; }
  RunProgress progress() const;

  /// Shows each number of the state to `visitor`. First come the origins, from which the visitor
  /// sees how far each scale has moved.
  void visit(StateVisitor& visitor);

 private:
  /// What the clock needs to know of a dispatched instruction.
  struct WaitingInstruction {
    After after;
    std::uint64_t index = 0;
    Time dispatched = {};
    std::optional<TransferRequest> request = {};
    Cycle reads = 0;          // rows of the buffer that a fetch reads
    Cycle writes = 0;         // rows of the buffer that a load of patches writes
    std::uint32_t rows = 0;   // of a matmul or a vector instruction
    std::uint32_t group = 0;  // whose cycles it takes
    bool swaps = false;
  };
  struct Finished {
    Time started = {};
    Time done = {};  // the cycle after its retirement
  };
  struct UnitQueue {
    SlidingWindow<WaitingInstruction> waiting;  // dispatched, not started
    SlidingWindow<Finished> finished;           // the latest that started
    Time free = {};                             // the next instruction can start from here on
    Time last_done = {};

    std::uint64_t dispatched() const { return waiting.end(); }
    std::uint64_t started() const { return waiting.begin(); }
  };

  WaitingInstruction waiting(const Instruction& instruction) const;
  /// The cycle from which on the unit has retired `count` instructions; 0 if that is so long ago
  /// that it decides nothing. They must have started.
  Time retired_by(Unit unit, std::uint64_t count) const;
  /// The event `length` cycles after `from`.
  Time reach(Time from, Cycle length, PathPart part, std::uint32_t group) {
    return times_.reach(times_.after(from, length, part), group);
  }

  bool dispatch(Unit unit, WaitingInstruction& next);
  bool settle();
  std::optional<Candidate> ready(Unit unit) const;
  void record(Unit unit, Time start, Time free, Candidate done);

  ChannelClock& clock_of(Channel channel) { return channels_[static_cast<std::size_t>(channel)]; }
  bool arbitrated(Unit unit) const;
  std::optional<Candidate> transfer_ready(Unit unit) const;
  bool start_transfer(Unit unit);
  void use_channel(Unit unit, const Candidate& ready, Channel channel);
  void read_buffer(const Candidate& ready);
  void record_transfer(Unit unit, Time start, Time first_byte, Candidate arrived);
  bool grant();
  Unit oldest_ready_by(Cycle cycle) const;

  bool push_tile();
  std::optional<Candidate> shadow_free() const;
  std::optional<Candidate> array_free() const;
  bool start_matmul();
  bool start_vector();

  Cycle kept_from() const;
  void forget();
  void forget_paths();
  void visit(StateVisitor& visitor, Unit unit, Cycle frontier);
  void visit(StateVisitor& visitor, Time& time, bool settled, Cycle frontier);
  void visit_path(StateVisitor& visitor, Time& time, bool settled);

  const MachineConfig& config_;
  ClockObserver& observer_;
  Times times_;
  const ArrayTiming array_;
  PerUnit<UnitQueue> queues_;
  std::vector<ChannelClock> channels_;
  std::array<Time, kChannelCount> channel_free_ = {};
  const std::optional<Channel> shared_;  // the channel that several units use
  std::uint64_t dispatched_ = 0;
  Time last_dispatch_ = {-1};
  Time last_done_ = {};
  Time buffer_port_free_ = {};
  std::uint64_t pushed_ = 0;   // tiles
  Time last_push_end_ = {};    // the cycle after its last row
  std::uint64_t swapped_ = 0;  // tiles that a matmul took
  Time last_swap_ = {};
  Time array_empty_ = {};  // without double buffering: of all rows that entered
  std::uint32_t until_forget_ = 0;
};

/// Counts cycles, as fast as it can.
using AnalyticClock = BasicClock<PlainTimes>;
/// Finds the critical path as well.
using PathClock = BasicClock<PathTimes>;

extern template class BasicClock<PlainTimes>;
extern template class BasicClock<PathTimes>;

}  // namespace weft
