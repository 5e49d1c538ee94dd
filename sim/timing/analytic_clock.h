// The recurrences of docs/timing.md, solved while the instructions of a program arrive, without
// SystemC and without values. The clock keeps only what a later instruction can still depend on:
// what waits in the queues, and what has retired since the oldest of these was dispatched.
//
//   accept(i) --> dispatched --> started, pushed, waited --> forgotten
//                 |<---------- kept: queue_depth ---------->|
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/sliding_window.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/run_state.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/channel_clock.h"
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

class AnalyticClock {
 public:
  /// `config` and `observer` must outlive the clock.
  AnalyticClock(const MachineConfig& config, ClockObserver& observer);

  /// Takes the program's next instruction and dispatches it. Returns false if it never can be: the
  /// machine is stuck. Throws SimulationError for a run of 2^47 cycles or more.
  [[nodiscard]] bool accept(const Instruction& instruction);
  /// The program is complete: solves the rest. Returns false if the machine is stuck.
  [[nodiscard]] bool finish();

  /// The observer knows all starts and pushes up to and including this cycle.
  Cycle frontier() const;
  /// The cycle in which the last accepted instruction was dispatched.
  Cycle last_dispatch() const { return last_dispatch_; }
  /// The last retirement so far; -1 without any.
  Cycle last_retired() const { return last_retired_; }
  RunProgress progress() const;

  /// Shows each number of the state to `visitor`. First come the origins, from which the visitor
  /// sees how far each scale has moved.
  void visit(StateVisitor& visitor);

 private:
  /// What the clock needs to know of a dispatched instruction.
  struct WaitingInstruction {
    After after;
    std::uint64_t index = 0;
    Cycle dispatched = 0;
    std::optional<TransferRequest> request = {};
    Cycle reads = 0;         // rows of the buffer that a fetch reads
    Cycle writes = 0;        // rows of the buffer that a load of patches writes
    std::uint32_t rows = 0;  // of a matmul or a vector instruction
    bool swaps = false;
  };
  struct Finished {
    Cycle started = 0;
    Cycle retired = 0;
  };
  struct UnitQueue {
    SlidingWindow<WaitingInstruction> waiting;  // dispatched, not started
    SlidingWindow<Finished> finished;           // the latest that started
    Cycle last_started = -1;
    Cycle last_retired = -1;
    std::uint32_t last_rows = 0;

    std::uint64_t dispatched() const { return waiting.end(); }
    std::uint64_t started() const { return waiting.begin(); }
  };

  WaitingInstruction waiting(const Instruction& instruction) const;
  /// The cycle from which on the unit has retired `count` instructions; 0 if that is so long ago
  /// that it decides nothing. They must have started.
  Cycle retired_by(Unit unit, std::uint64_t count) const;

  bool dispatch(Unit unit, WaitingInstruction& next);
  bool settle();
  Cycle written(Cycle rows, Cycle first_byte, Cycle last_byte) const;
  std::optional<Cycle> ready(Unit unit) const;
  void record(Unit unit, Cycle start, Cycle retired);

  ChannelClock& clock_of(Channel channel) { return channels_[static_cast<std::size_t>(channel)]; }
  bool arbitrated(Unit unit) const;
  std::optional<Cycle> transfer_ready(Unit unit) const;
  bool start_transfer(Unit unit);
  void read_buffer(Cycle ready, Cycle reads);
  void record_transfer(Unit unit, Cycle start, Cycle arrived);
  bool grant();
  Unit oldest_ready_by(Cycle cycle) const;

  bool push_tile();
  std::optional<Cycle> shadow_free() const;
  std::optional<Cycle> array_free() const;
  bool start_matmul();
  bool start_vector();

  Cycle kept_from() const;
  void forget();
  void visit(StateVisitor& visitor, Unit unit, Cycle frontier);

  const MachineConfig& config_;
  ClockObserver& observer_;
  const ArrayTiming array_;
  PerUnit<UnitQueue> queues_;
  std::vector<ChannelClock> channels_;
  const std::optional<Channel> shared_;  // the channel that several units use
  std::uint64_t dispatched_ = 0;
  Cycle last_dispatch_ = -1;
  Cycle last_retired_ = -1;
  Cycle buffer_port_free_ = 0;
  std::uint64_t pushed_ = 0;  // tiles
  Cycle last_push_ = 0;
  std::uint64_t swapped_ = 0;  // tiles that a matmul took
  Cycle last_swap_ = 0;
  std::uint32_t until_forget_ = 0;
};

}  // namespace weft
