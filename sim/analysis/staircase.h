// A count over the cycles of a run, as a sum of ramps: a ramp adds `step` in each of its cycles.
// Rows are written and read one or a few per cycle, so few ramps describe many cycles exactly.
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

/// The count is `count` in `cycle` and grows by `step` in each cycle after it, until the next
/// point.
struct StaircasePoint {
  Cycle cycle = 0;
  std::int64_t count = 0;
  std::int64_t step = 0;

  std::int64_t at(Cycle later) const { return count + step * (later - cycle); }
  friend bool operator==(const StaircasePoint&, const StaircasePoint&) = default;
};

/// Points in order of cycle. The count is 0 before the first point; the last point has step 0.
using Staircase = std::vector<StaircasePoint>;

class StaircaseSum {
 public:
  /// Adds `step` in each of the cycles begin .. begin+cycles-1; the sum stays after that.
  void ramp(Cycle begin, Cycle cycles, std::int64_t step);
  /// Adds `count` from `cycle` on.
  void jump(Cycle cycle, std::int64_t count) { ramp(cycle, 1, count); }

  /// The sum, in few points. Takes O(n log n) time for n ramps.
  Staircase points() &&;

 private:
  /// From `cycle` on, the count grows by `step` more per cycle than before.
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
