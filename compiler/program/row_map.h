// Keeps a state for every row of a memory, as intervals of rows with equal history:
//
//   row   0        8            24         32 ...
//         | state  |  state     |  state   |  state (to the last row there could be)
//
// Invariant: intervals_ begins with row 0, so every row lies in exactly one interval. A write gives
// its whole range one state and so joins intervals that reads had split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace weft {

template <class State>
class RowMap {
 public:
  RowMap() { intervals_.emplace(0, State{}); }

  /// Calls `function(first, last, State&)` once for each interval [first, last) of [begin, end),
  /// split at both ends.
  template <class Function>
  void update(std::uint64_t begin, std::uint64_t end, Function&& function) {
    auto interval = split(begin);
    split(end);
    for (; interval != intervals_.end() && interval->first < end; ++interval) {
      function(interval->first, end_of(interval), interval->second);
    }
  }

  /// The number of intervals.
  std::size_t size() const { return intervals_.size(); }
  /// Calls `function(first, State&)` for each interval, in order of rows.
  template <class Function>
  void for_each(Function&& function) {
    for (auto& [first, state] : intervals_) function(first, state);
  }
  template <class Function>
  void for_each(Function&& function) const {
    for (const auto& [first, state] : intervals_) function(first, state);
  }

  /// Gives the rows of every interval for which `is_over(const State&)` holds the first state
  /// again, and joins such intervals.
  template <class Predicate>
  void reset_if(Predicate&& is_over) {
    bool blank = false;  // the interval before
    for (auto interval = intervals_.begin(); interval != intervals_.end();) {
      const bool over = is_over(std::as_const(interval->second));
      if (over && blank) {
        interval = intervals_.erase(interval);
        continue;
      }
      if (over) interval->second = State{};
      blank = over;
      ++interval;
    }
  }

  /// Gives all rows of [begin, end) the same state, after calling
  /// `function(first, last, const State&)` with each old one.
  template <class Function>
  void replace(std::uint64_t begin, std::uint64_t end, const State& state, Function&& function) {
    const auto first = split(begin);
    split(end);
    function(first->first, end_of(first), first->second);
    first->second = state;
    auto interval = std::next(first);
    while (interval != intervals_.end() && interval->first < end) {
      function(interval->first, end_of(interval), interval->second);
      interval = intervals_.erase(interval);
    }
  }

 private:
  using Intervals = std::map<std::uint64_t, State>;  // by first row

  /// The row after an interval that is not the last one.
  static std::uint64_t end_of(typename Intervals::const_iterator interval) {
    return std::next(interval)->first;
  }

  /// The interval that begins at `row`; splits the interval around it if need be.
  typename Intervals::iterator split(std::uint64_t row) {
    const auto next = intervals_.lower_bound(row);
    if (next != intervals_.end() && next->first == row) return next;
    return intervals_.emplace_hint(next, row, std::prev(next)->second);
  }

  Intervals intervals_;
};

}  // namespace weft
