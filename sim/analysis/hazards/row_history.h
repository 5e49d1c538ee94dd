// The last accesses to every row of one memory, stored as ranges of rows with the same history.
//
// Instructions are recorded in program order. A write must come after all earlier reads and writes,
// a read after the last write. The reads since that write are kept per unit: each unit reads in
// order, so the read of its last instruction stands for all earlier ones. If an instruction reads a
// row several times, its last read counts. It may not write a row that it reads, nor write a row
// twice: the result would depend on the latency.
//
// A strided read is kept separately, with the class of rows that it touched. If one unit read a row
// several times, the read of the last instruction counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/analysis/hazards/access.h"
#include "sim/isa/run_state.h"

namespace weft {

/// A pair of accesses to one row that do not happen in program order. If `earlier` never happened,
/// the row was read before any instruction wrote it.
struct Conflict {
  std::uint64_t row = 0;
  Access earlier;
  bool earlier_writes = false;
  bool later_writes = false;
};

class RowHistory {
 public:
  /// `initialized`: every row holds a value from the beginning, as host memory does.
  explicit RowHistory(bool initialized) : initialized_(initialized) {}
  RowHistory(const RowHistory&) = delete;
  RowHistory& operator=(const RowHistory&) = delete;

  /// Records a read by `reader` of the rows of class `rows` in [begin, end). Returns a conflict if
  /// there is one.
  std::optional<Conflict> read(std::uint64_t begin, std::uint64_t end, const Access& access,
                               Unit reader, const RowClass& rows = {});
  /// Checks a read by the instruction that then writes the rows, without recording it.
  std::optional<Conflict> check_read(std::uint64_t begin, std::uint64_t end, const Access& access);
  /// Records a write of all rows in [begin, end). Returns a conflict if there is one.
  std::optional<Conflict> write(std::uint64_t begin, std::uint64_t end, const Access& access);

  /// Forgets the rows whose last access is in `frontier` or before, if every later access comes
  /// after it: they can take part in no conflict. Only for rows that hold a value from the
  /// beginning; otherwise it matters that they were written.
  void forget_before(Cycle frontier);
  /// The same, only if the history has grown a lot since the last time.
  void forget_sometimes(Cycle frontier);

  /// Shows the state to `visitor`; every later access comes after cycle `frontier`.
  void visit(StateVisitor& visitor, Cycle frontier);

  /// The first row of [begin, end) that nothing has written yet.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct StridedRead {
    Unit reader = Unit::kLoad;
    RowClass rows;
    Access access;
  };
  struct HistoryRange {
    std::uint64_t end = 0;
    Access write;
    PerUnit<Access> reads;
    std::vector<StridedRead> strided;  // in the order of the program
  };
  using HistoryRanges = std::map<std::uint64_t, HistoryRange>;  // by first row; disjoint

  // Cuts so that [begin, end) is covered by whole runs, and returns the first of them.
  HistoryRanges::iterator cover(std::uint64_t begin, std::uint64_t end);
  void split(std::uint64_t row);
  void fill(std::uint64_t begin, std::uint64_t end);
  std::optional<Conflict> conflict_of_read(const HistoryRanges::value_type& run,
                                           const Access& access, const RowClass& rows) const;
  // The conflict at the lowest row that `access` writes too early.
  std::optional<Conflict> conflict_of_write(const HistoryRanges::value_type& run,
                                            const Access& access) const;
  // The same, only with the reads of one unit, strided or not.
  std::optional<Conflict> conflict_with_reads(const HistoryRanges::value_type& run,
                                              const Access& access, Unit reader) const;
  // Records the read for the first rows of the run: those for which `access` is the later read,
  // or those for which it is not. Splits the run after them.
  void keep_read(HistoryRanges::iterator run, const Access& access, Unit reader);
  static void keep_strided(HistoryRange& run, const Access& access, Unit reader,
                           const RowClass& rows);
  // Gives the runs of [first, end) the history of one write.
  void overwrite(HistoryRanges::iterator first, std::uint64_t end, const Access& access);

  /// Whether no row of the run is touched after cycle `frontier`.
  static bool is_over(const HistoryRanges::value_type& run, Cycle frontier);
  static void visit(StateVisitor& visitor, Access& access, std::uint64_t last_row, Cycle frontier);

  // How many runs, from the last one found on, cover() tries before it searches.
  static constexpr int kNear = 4;
  static constexpr std::size_t kFirstForgetting = 256;

  bool initialized_;
  HistoryRanges runs_;
  HistoryRanges::iterator last_ = runs_.end();
  std::size_t forget_at_ = kFirstForgetting;  // runs
};

}  // namespace weft
