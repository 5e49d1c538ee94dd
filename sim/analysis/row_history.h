// The last accesses to every row of one memory, as ranges of rows with the same history.
//
// Instructions are recorded in program order. A write must come after every read and write before
// it, a read after the last write. Reads since that write are kept by reader: each unit reads in
// order, so its last instruction's read stands for all earlier ones. One instruction may read a row
// several times, in any order: its last read counts. It may not write a row that it reads, or a
// row twice: which value it meant would depend on the latency.
//
// A strided read is kept beside the reads of all rows, with the class of the rows that it touched;
// of several reads of one row by one unit, the last instruction's counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/analysis/access.h"

namespace weft {

/// A pair of accesses to one row that time does not order as the program does. An `earlier` that
/// never happened: the row was read before anything wrote it.
struct Conflict {
  std::uint64_t row = 0;
  Access earlier;
  bool earlier_writes = false;
  bool later_writes = false;
};

class RowHistory {
 public:
  enum class Reader : std::uint8_t { kTransfer, kMatmul, kVector, kFetch };
  static constexpr std::size_t kReaders = 4;

  /// `initialized`: every row holds a value from the beginning, as host memory does.
  explicit RowHistory(bool initialized) : initialized_(initialized) {}
  RowHistory(const RowHistory&) = delete;
  RowHistory& operator=(const RowHistory&) = delete;

  /// Of [begin, end), the rows `rows`.
  std::optional<Conflict> read(std::uint64_t begin, std::uint64_t end, const Access& access,
                               Reader reader, const RowClass& rows = {});
  /// The read of a row by the access that is about to write it: checked, not kept.
  std::optional<Conflict> check_read(std::uint64_t begin, std::uint64_t end, const Access& access);
  std::optional<Conflict> write(std::uint64_t begin, std::uint64_t end, const Access& access);

  /// The first row of [begin, end) that nothing has written yet.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct StridedRead {
    Reader reader = Reader::kTransfer;
    RowClass rows;
    Access access;
  };
  struct Segment {
    std::uint64_t end = 0;
    Access write;
    std::array<Access, kReaders> reads;
    std::vector<StridedRead> strided;  // in the order of the program
  };
  using Segments = std::map<std::uint64_t, Segment>;  // by first row; disjoint

  // Cuts so that [begin, end) is covered by whole segments, and returns the first of them.
  Segments::iterator cover(std::uint64_t begin, std::uint64_t end);
  void split(std::uint64_t row);
  void fill(std::uint64_t begin, std::uint64_t end);
  std::optional<Conflict> conflict_of_read(const Segments::value_type& segment,
                                           const Access& access, const RowClass& rows) const;
  // The lowest row that `access` writes before all are done with it.
  std::optional<Conflict> conflict_of_write(const Segments::value_type& segment,
                                            const Access& access) const;
  // That row for one reader's accesses to all rows or to some.
  std::optional<Conflict> conflict_with_reads(const Segments::value_type& segment,
                                              const Access& access, std::size_t reader) const;
  // Keeps `access` in the segment's first rows: as many as it is, or is not, the later read of.
  void keep_read(Segments::iterator segment, const Access& access, Reader reader);
  static void keep_strided(Segment& segment, const Access& access, Reader reader,
                           const RowClass& rows);
  // Gives the segments of [first, end) the history of one write.
  void overwrite(Segments::iterator first, std::uint64_t end, const Access& access);

  // Segments behind the last one found that are looked at before all others.
  static constexpr int kNear = 4;

  bool initialized_;
  Segments segments_;
  Segments::iterator last_ = segments_.end();
};

}  // namespace weft
