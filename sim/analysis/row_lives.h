// Which rows of a memory hold something that is still needed, from the accesses in program order
// of a run without hazards (there, program order is time order for every row).
//
//   row    W . . R . R      W W . R          W: written, R: read
//          =============      =======        the two lives of the row's contents
//
// A content lives from the first cycle in which it is written to the last cycle in which it is
// touched. A write begins a new content if the old one has been read since its last write, and if
// it overwrites lanes of it without combining with them; any other write adds to the content: rows
// are filled by groups of lanes, and sums grow in place. So what is never read lives through its
// writes. Rows with the same history are one entry: time and memory go with the accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/analysis/staircase.h"
#include "sim/timing/timeline.h"

namespace weft {

/// When the rows of a range are touched: `group` rows a cycle in order, row `origin` in `cycle`;
/// group 0: all in `cycle`.
struct RowPace {
  Cycle cycle = 0;
  std::uint64_t origin = 0;
  std::uint64_t group = 0;

  Cycle at(std::uint64_t row) const {
    return group == 0 ? cycle : cycle + static_cast<Cycle>((row - origin) / group);
  }
};

/// Rows [begin, end).
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Elements [begin, end) of each row.
struct LaneRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool meets(const LaneRange& other) const { return begin < other.end && other.begin < end; }
};

class RowLives {
 public:
  /// `first`, `last`: when the write of each row begins and ends. `combines`: the old content is
  /// part of the new one.
  void write(RowRange rows, const RowPace& first, const RowPace& last, LaneRange lanes,
             bool combines);

  /// `last`: the last cycle in which each row is read.
  void read(RowRange rows, const RowPace& last);

  /// Rows row, row + step, .. are read one a cycle, the first of the `count` in `cycle`.
  void read_each(std::uint64_t row, std::uint64_t count, std::uint64_t step, Cycle cycle);

  /// Rows that are occupied by a living content, in each cycle.
  Staircase finish() &&;

 private:
  struct Content {
    std::uint64_t end = 0;  // the row behind the last
    RowPace first;
    RowPace last;
    LaneRange lanes;
    bool read = false;  // since the last write
  };
  using Contents = std::map<std::uint64_t, Content>;  // by first row; disjoint

  /// Cuts a content that goes on beyond `row` in two, and returns the second.
  Contents::iterator cut(Contents::iterator content, std::uint64_t row);
  /// The first content behind `row` or at it; none begins before and goes on.
  Contents::iterator first_from(std::uint64_t row);
  void fill(RowRange rows, const Content& content);
  void keep_later(Contents::iterator content, const RowPace& pace);
  void close(const Contents::value_type& content);
  void count(RowRange rows, const RowPace& pace, Cycle delay, std::int64_t sign);

  Contents contents_;
  StaircaseSum occupied_;
};

}  // namespace weft
