// Finds which rows of a memory hold a content that is still needed. It takes the accesses of a run
// without hazards in program order, which is also the time order for every row.
//
//   row    W . . R . R      W W . R          W: written, R: read
//          =============      =======        the lives of two contents of the row
//
// A content lives from the first cycle in which it is written to the last cycle in which it is
// touched. A write begins a new content if two things are true: the old one has been read since its
// last write, and the write overwrites some of its lanes without combining with them. Any other
// write adds to the content: rows are filled by groups of lanes, and sums grow in place. A content
// that is never read lives until its last write. Rows with the same history are one entry, so time
// and memory grow with the number of accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/analysis/staircase.h"
#include "sim/isa/row_access.h"
#include "sim/timing/timeline.h"

namespace weft {

/// When the rows of a range are touched: `group` rows per cycle in order, row `origin` in `cycle`;
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

class RowLives {
 public:
  /// `first`, `last`: when the write of each row begins and ends. `combines`: the write combines
  /// the old content with new values.
  void write(RowRange rows, const RowPace& first, const RowPace& last, LaneRange lanes,
             bool combines);

  /// `last`: the last cycle in which each row is read.
  void read(RowRange rows, const RowPace& last);

  /// Reads `count` rows row, row + step, .., one per cycle, the first in `cycle`.
  void read_each(std::uint64_t row, std::uint64_t count, std::uint64_t step, Cycle cycle);

  /// The number of rows with a living content, in each cycle.
  Staircase finish() &&;

 private:
  struct Content {
    std::uint64_t end = 0;  // the row after the last
    RowPace first;
    RowPace last;
    LaneRange lanes;
    bool read = false;  // since the last write
  };
  using Contents = std::map<std::uint64_t, Content>;  // by first row; disjoint

  /// Cuts a content in two at `row` and returns the second part.
  Contents::iterator cut(Contents::iterator content, std::uint64_t row);
  /// The first content at or after `row`. Cuts a content that begins before `row` and contains it.
  Contents::iterator first_from(std::uint64_t row);
  void fill(RowRange rows, const Content& content);
  void keep_later(Contents::iterator content, const RowPace& pace);
  void close(const Contents::value_type& content);
  void count(RowRange rows, const RowPace& pace, Cycle delay, std::int64_t sign);

  Contents contents_;
  StaircaseSum occupied_;
};

}  // namespace weft
