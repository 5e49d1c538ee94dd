// Reads the program in order and dispatches at most one instruction per cycle, each to its unit's
// queue; waits while that queue is full.
#pragma once

#include <systemc>

#include "sim/machine/unit.h"

namespace weft {

class Sequencer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Sequencer);
  Sequencer(sc_core::sc_module_name name, MachineContext& context);

  std::uint32_t dispatched_count() const { return dispatched_; }

 private:
  void dispatch_loop();

  MachineContext& context_;
  std::uint32_t dispatched_ = 0;
};

}  // namespace weft
