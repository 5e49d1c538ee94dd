// Keeps a state for every row of a memory, as intervals of rows with equal history:
//
//   row   0        8            24         32 ...
//         | state  |  state     |  state   |  state (to the last row there could be)
//
// Invariant: intervals_ begins with row 0, so every row lies in exactly one interval. A write gives
// its whole range one state and so joins intervals that reads had split.
//
// Instructions touch rows mostly in ascending order, so the search for a row begins at the interval
// that was used last.
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
  RowMap() { last_ = intervals_.emplace(0, State{}).first; }
  RowMap(const RowMap&) = delete;  // `last_` belongs to this map
  RowMap& operator=(const RowMap&) = delete;
  ~RowMap() = default;

  /// Calls `function(first, last, State&)` once for each interval [first, last) of [begin, end),
  /// split at both ends.
  template <class Function>
  void update(std::uint64_t begin, std::uint64_t end, Function&& function) {
    if (begin >= end) return;
    auto interval = split(begin);
    while (true) {
      last_ = interval;
      const auto next = cut(interval, end);
      function(interval->first, next->first, interval->second);
      if (next->first == end) return;
      interval = next;
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
    last_ = intervals_.begin();
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
    last_ = first;
    auto next = cut(first, end);
    function(first->first, next->first, first->second);
    while (next->first != end) {
      const auto interval = next;
      next = cut(interval, end);
      function(interval->first, next->first, interval->second);
      intervals_.erase(interval);
    }
    first->second = state;
  }

 private:
  using Intervals = std::map<std::uint64_t, State>;  // by first row

  /// The interval in which `row` lies.
  typename Intervals::iterator find(std::uint64_t row) {
    constexpr int kStepsTried = 4;
    if (last_->first <= row) {
      auto interval = last_;
      for (int step = 0; step < kStepsTried; ++step) {
        const auto next = std::next(interval);
        if (next == intervals_.end() || next->first > row) return interval;
        interval = next;
      }
    }
    return std::prev(intervals_.upper_bound(row));
  }

  /// The interval that begins at `row`; splits the interval around it if need be.
  typename Intervals::iterator split(std::uint64_t row) {
    const auto interval = find(row);
    if (interval->first == row) return interval;
    return intervals_.emplace_hint(std::next(interval), row, interval->second);
  }

  /// Ends the interval at row `end`, if it goes further. Returns the next interval.
  typename Intervals::iterator cut(typename Intervals::iterator interval, std::uint64_t end) {
    const auto next = std::next(interval);
    if (next != intervals_.end() && next->first <= end) return next;
    return intervals_.emplace_hint(next, end, interval->second);
  }

  Intervals intervals_;
  typename Intervals::iterator last_;  // used last
};

}  // namespace weft
