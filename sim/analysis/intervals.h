// Half-open intervals of cycles, and their subtraction.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sim/timing/timeline.h"

namespace weft {

struct Interval {
  Cycle begin = 0;
  Cycle end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Removes `covers` from `open` and calls taken(Interval) for each removed piece, in order. Both
/// must be sorted by begin; `open` is disjoint, `covers` may overlap. Takes linear time.
template <class Taken>
void take(std::vector<Interval>& open, std::span<const Interval> covers, Taken&& taken) {
  std::vector<Interval> rest;
  std::size_t first = 0;
  for (const Interval& gap : open) {
    while (first < covers.size() && covers[first].end <= gap.begin) ++first;
    Cycle at = gap.begin;
    for (std::size_t i = first; i < covers.size() && covers[i].begin < gap.end; ++i) {
      const Cycle begin = std::max(at, covers[i].begin);
      const Cycle end = std::min(gap.end, covers[i].end);
      if (end <= begin) continue;
      if (begin > at) rest.push_back({at, begin});
      taken(Interval{begin, end});
      at = end;
    }
    if (at < gap.end) rest.push_back({at, gap.end});
  }
  open = std::move(rest);
}

}  // namespace weft
