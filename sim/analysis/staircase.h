// A count over the cycles of a run as a sum of ramps, `step` more in each cycle. Rows are written
// and read one or a few a cycle, so that few ramps say exactly what happens in many cycles.
//
//   count          ramp(4, 3, +2), jump(8, -1)
//     6         ___
//     5      . |   |______
//     4      _|
//     2    _|
//         4 5 6 7 8            points {4, 2, +2} {6, 6, 0} {8, 5, 0}
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timing/timeline.h"

namespace weft {

/// `count` in `cycle`; in each cycle after it, until the next point's, `step` more.
struct StaircasePoint {
  Cycle cycle = 0;
  std::int64_t count = 0;
  std::int64_t step = 0;

  std::int64_t at(Cycle later) const { return count + step * (later - cycle); }
  friend bool operator==(const StaircasePoint&, const StaircasePoint&) = default;
};

/// Ascending in their cycles; 0 before the first, and the last has step 0.
using Staircase = std::vector<StaircasePoint>;

class StaircaseSum {
 public:
  /// Adds `step` in each of the cycles begin .. begin+cycles-1; what was added stays.
  void ramp(Cycle begin, Cycle cycles, std::int64_t step);
  /// Adds `count` in `cycle`.
  void jump(Cycle cycle, std::int64_t count) { ramp(cycle, 1, count); }

  /// The sum, in as few points as a sweep finds. Takes n log n in the ramps.
  Staircase points() &&;

 private:
  /// From `cycle` on, each cycle adds `step` more than the cycle before added.
  struct Change {
    Cycle cycle = 0;
    std::int64_t step = 0;
  };
  void compact();

  static constexpr std::size_t kFirstCompaction = std::size_t{1} << 16;

  std::vector<Change> changes_;
  std::size_t compact_at_ = kFirstCompaction;
};

}  // namespace weft
