// The exact cost of a schedule: its instructions, replayed by the clock of docs/timing.md.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

struct Replay {
  Cycle cycles = 0;
  std::uint64_t instructions = 0;
  /// The rows of staging that the program uses; nullopt if it uses some again. With more staging
  /// and all else equal, it takes the same cycles.
  std::optional<std::uint64_t> staged_rows;
};

/// Emits the segment's program, which must not be a product in rings (product_segment.h), and
/// counts its cycles. Throws as emit_segment() does.
Replay replay(const Segment& segment, const Schedule& schedule, const MachineConfig& config);

}  // namespace weft::compiler
