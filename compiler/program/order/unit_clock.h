// About when the units of a machine do their operations, for those who choose their order. The
// recurrences are those of docs/timing.md without dispatch and queues.
#pragma once

#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/unit.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/channel_clock.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class UnitClock {
 public:
  /// `config` must outlive the clock.
  explicit UnitClock(const MachineConfig& config);

  /// The first cycle in which the unit's next operation could start.
  Cycle free(Unit unit) const { return free_[unit]; }
  /// The first cycle in which this could be the unit's next operation, if nothing else holds it up
  /// from cycle `ready` on.
  Cycle earliest(const Operation& operation, Cycle ready) const;
  /// Occupies the unit from `start` on. Returns the cycle from which an operation that waits for
  /// this one is ready.
  Cycle run(const Operation& operation, Cycle start);

 private:
  Cycle retire(const Operation& operation, Cycle start);
  Cycle transfer(const Operation& operation, Cycle start);

  const MachineConfig& config_;
  const ArrayTiming array_;
  std::vector<ChannelClock> channels_;
  PerUnit<Cycle> free_{};
  PerUnit<Cycle> retired_{};  // the unit's last operation
  Cycle shadow_free_ = 0;     // when the array can begin to push the next tile
};

}  // namespace weft::compiler
