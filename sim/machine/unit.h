// What the five units share: an in-order queue filled by the sequencer, the wait for dispatch and
// dependences, and the count of retired instructions that other units wait for.
//
//   sequencer --enqueue--> [queue] --await_head--> (the unit's own work) --retire--> count
//
// Invariant: instructions start and retire in the order in which they were enqueued.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <systemc>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/machine/clock.h"
#include "sim/timing/timeline.h"

namespace weft {

class UnitModule;

/// What every unit sees of the rest of the machine. Lives as long as the simulation.
struct MachineContext {
  const MachineConfig& config;
  const Program& program;
  Timeline& timeline;
  PerUnit<UnitModule*> units{};
  std::exception_ptr failure;  // exception of a datapath that has stopped the simulation
};

class UnitModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(UnitModule);
  UnitModule(sc_core::sc_module_name name, MachineContext& context);

  /// Takes instruction `index` at the dispatch tick. The queue must not be full.
  void enqueue(std::uint32_t index);
  /// At the dispatch tick: whether instructions that did not start before this cycle hold all
  /// slots.
  bool queue_full() const { return queue_.size() >= context_.config.queue_depth; }

  std::uint32_t started_count() const { return started_; }
  std::uint32_t retired_count() const { return retired_; }
  const sc_core::sc_event& started_event() const { return started_event_; }
  const sc_core::sc_event& retired_event() const { return retired_event_; }
  const sc_core::sc_event& enqueued_event() const { return enqueued_event_; }

 protected:
  struct Head {
    std::uint32_t index;
    const Instruction& instruction;
  };

  /// Waits until the queue's head was dispatched in an earlier cycle and its dependences are met.
  /// Returns in the first such cycle, at its start tick or later.
  Head await_head();
  bool has_head() const { return !queue_.empty(); }
  std::uint32_t head_index() const { return queue_.front(); }
  /// Whether the head was dispatched before this cycle.
  bool head_dispatched() const;
  /// Whether all counts in the head's `after` were reached before this cycle.
  bool head_dependences_met() const;

  /// Records the head's start in the current cycle and frees its slot.
  void start_head();
  /// Makes instruction `index` retire at the end of `cycle`. Call it once for each instruction, in
  /// the order of their starts.
  void retire_at(std::uint32_t index, Cycle cycle);
  /// Called at the end of an instruction's last cycle, before its retirement is visible.
  virtual void on_retire(std::uint32_t /*index*/) {}

  MachineContext& context_;

 private:
  void retire_loop();

  std::deque<std::uint32_t> queue_;
  std::deque<std::uint32_t> retiring_;  // the timeline has their cycles
  std::uint32_t started_ = 0;
  std::uint32_t retired_ = 0;
  sc_core::sc_event enqueued_event_;
  sc_core::sc_event started_event_;
  sc_core::sc_event retiring_event_;
  sc_core::sc_event retired_event_;
};

}  // namespace weft
