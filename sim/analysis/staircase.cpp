#include "sim/analysis/staircase.h"

#include <algorithm>
#include <cstddef>

namespace weft {

void StaircaseSum::ramp(Cycle begin, Cycle cycles, std::int64_t step) {
  if (cycles <= 0 || step == 0) return;
  changes_.push_back({begin, step});
  changes_.push_back({begin + cycles, -step});
  if (changes_.size() >= compact_at_) compact();
}

// Changes of ramps that continue each other cancel out, so this removes most changes of a long run.
void StaircaseSum::compact() {
  std::ranges::sort(changes_, {}, &Change::cycle);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < changes_.size();) {
    Change sum{changes_[i].cycle, 0};
    for (; i < changes_.size() && changes_[i].cycle == sum.cycle; ++i) sum.step += changes_[i].step;
    if (sum.step != 0) changes_[kept++] = sum;
  }
  changes_.resize(kept);
  compact_at_ = std::max(kFirstCompaction, 2 * kept);
}

namespace {

/// Appends a point. The step of the point before is dropped if it lasts only one cycle.
void append(Staircase& points, const StaircasePoint& point) {
  if (!points.empty()) {
    StaircasePoint& last = points.back();
    if (last.cycle + 1 == point.cycle) last.step = 0;
    if (last.cycle == point.cycle) points.pop_back();
  }
  points.push_back(point);
}

}  // namespace

// A ramp ends in its last cycle, so the point there has the count that stays.
Staircase StaircaseSum::points() && {
  compact();
  Staircase points;
  StaircasePoint now;
  for (const Change& change : changes_) {
    const std::int64_t before = now.at(change.cycle - 1);
    const std::int64_t step = now.step + change.step;
    now = step == 0 ? StaircasePoint{change.cycle - 1, before, 0}
                    : StaircasePoint{change.cycle, before + step, step};
    append(points, now);
  }
  return points;
}

}  // namespace weft
