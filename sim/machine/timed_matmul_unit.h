// The matmul unit of the `timed` engine, without values. It has two processes, the weight port and
// the activation port. Each waits until it may act (docs/timing.md, the lines for W and A), then
// lets the time of its action pass in one step.
//
//   weight port:      push tile 0 |  push tile 1 ...          W: shadow free (or array empty)
//   activation port:              | stream matmul 0 | ...     A: tile in the shadow, port free
#pragma once

#include <vector>

#include "sim/machine/unit.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/unit_streams.h"

namespace weft {

class TimedMatmulUnit : public UnitModule {
 public:
  SC_HAS_PROCESS(TimedMatmulUnit);
  TimedMatmulUnit(sc_core::sc_module_name name, MachineContext& context,
                  const UnitStreams& streams);

 private:
  void weight_port();
  void await_shadow_free(std::uint32_t tile);
  void await_array_empty(std::uint32_t tile);
  void activation_port();
  void await_tile_in_shadow();

  const UnitStreams& streams_;
  const ArrayTiming array_;
  Cycle port_free_ = 0;  // when the activation port is free
  Cycle array_empty_ = 0;
  std::uint32_t swapped_ = 0;  // tiles swapped in
  sc_core::sc_event swap_event_;
  sc_core::sc_event push_event_;
};

}  // namespace weft
