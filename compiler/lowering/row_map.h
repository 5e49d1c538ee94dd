// A state for every row of a memory, kept as intervals of equal history:
//
//   row   0        8            24         32 ...
//         | state  |  state     |  state   |  state (to the last row there could be)
//
// Invariant: intervals_ begins with row 0, so that every row lies in exactly one interval. A write
// gives its whole range one state and thereby joins intervals that reads had split.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace weft {

template <class State>
class RowMap {
 public:
  RowMap() { intervals_.emplace(0, State{}); }

  /// Calls `function(State&)` once for each interval of [begin, end), split at both ends.
  template <class Function>
  void update(std::uint64_t begin, std::uint64_t end, Function&& function) {
    auto interval = split(begin);
    split(end);
    for (; interval != intervals_.end() && interval->first < end; ++interval) {
      function(interval->second);
    }
  }

  /// Calls `function(State&)` for each of the rows first, first + step, ... (`count` of them, step
  /// at least 1) in an interval of its own. One walk, where update() would search for each row
  /// anew.
  template <class Function>
  void update_every(std::uint64_t first, std::uint64_t step, std::uint64_t count,
                    Function&& function) {
    auto interval = split(first);
    for (std::uint64_t row = first; count > 0; --count, row += step) {
      auto next = std::next(interval);
      while (next != intervals_.end() && next->first <= row) interval = next++;
      if (interval->first < row) {
        interval = intervals_.emplace_hint(next, row, interval->second);
      }
      if (next == intervals_.end() || next->first > row + 1) {
        intervals_.emplace_hint(next, row + 1, interval->second);
      }
      function(interval->second);
    }
  }

  /// Gives all rows of [begin, end) the same state, after `function(const State&)` saw the old
  /// ones.
  template <class Function>
  void replace(std::uint64_t begin, std::uint64_t end, const State& state, Function&& function) {
    const auto first = split(begin);
    split(end);
    function(first->second);
    first->second = state;
    auto interval = std::next(first);
    while (interval != intervals_.end() && interval->first < end) {
      function(interval->second);
      interval = intervals_.erase(interval);
    }
  }

 private:
  using Intervals = std::map<std::uint64_t, State>;  // by first row

  /// The interval that begins at `row`, cut from the one around it if need be.
  typename Intervals::iterator split(std::uint64_t row) {
    const auto next = intervals_.lower_bound(row);
    if (next != intervals_.end() && next->first == row) return next;
    return intervals_.emplace_hint(next, row, std::prev(next)->second);
  }

  Intervals intervals_;
};

}  // namespace weft
