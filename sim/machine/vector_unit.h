// The vector unit: one row per cycle from accumulators or unified buffer to the unified buffer.
// Each result is readable vector.latency_cycles after its row was read.
//
//   cycle          V      V+1     V+2                       L = 2
//   read row       0      1       2
//   readable row                  0       1       2
#pragma once

#include <deque>
#include <vector>

#include "sim/machine/machine_values.h"
#include "sim/machine/unit.h"

namespace weft {

class VectorUnit : public UnitModule {
 public:
  SC_HAS_PROCESS(VectorUnit);
  /// `values`: null in a run without values.
  VectorUnit(sc_core::sc_module_name name, MachineContext& context, MachineValues* values);

 private:
  struct PendingRow {
    Cycle readable;
    const Vector* vector;
    std::uint32_t index;
    std::vector<std::byte> lanes;
  };

  void vector_loop();
  void read_rows(const Vector& vector, Cycle start);
  void write_loop();

  MachineValues* values_;
  std::deque<PendingRow> pending_;
  sc_core::sc_event pending_event_;
};

}  // namespace weft
