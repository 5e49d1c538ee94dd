// The exact cost of a schedule: its instructions, replayed by the clock of docs/timing.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

struct Replay {
  Cycle cycles = 0;  // if abandoned: of the part that was replayed
  bool is_abandoned = false;
  std::uint64_t instructions = 0;
  /// The rows of staging that the program uses; nullopt if it uses some again. With more staging
  /// and all else equal, it takes the same cycles.
  std::optional<std::uint64_t> staged_rows;
};

constexpr Cycle kAnyCycles = std::numeric_limits<Cycle>::max();

/// Emits the segment's program, which must not be a product in rings (product_segment.h), and
/// counts its cycles. Ends early when they are more than `most`. Throws as emit_segment() does.
Replay replay(const Segment& segment, const Schedule& schedule, const MachineConfig& config,
              Cycle most = kAnyCycles);

}  // namespace weft::compiler
