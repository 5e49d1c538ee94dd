#include "sim/machine/sequencer.h"

namespace weft {

Sequencer::Sequencer(sc_core::sc_module_name name, MachineContext& context)
    : sc_module(name), context_(context) {
  SC_THREAD(dispatch_loop);
}

void Sequencer::dispatch_loop() {
  for (const Instruction& instruction : context_.program.code) {
    UnitModule& unit = *context_.units[instruction.unit()];
    while (unit.queue_full()) {
      sc_core::wait(unit.started_event());
      wait_until(current_cycle() + 1, kDispatchTick);
    }
    unit.enqueue(dispatched_);
    ++dispatched_;
    wait_until(current_cycle() + 1, kDispatchTick);
  }
}

}  // namespace weft
