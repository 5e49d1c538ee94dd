// The last accesses to every row of one memory, as ranges of rows with the same history.
//
// Instructions are recorded in program order. A write must come after every read and write before
// it, a read after the last write. Reads since that write are kept by reader: each unit reads in
// order, so its last read stands for all of its earlier ones.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/hazards/access.h"

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
  enum class Reader : std::uint8_t { kTransfer, kMatmul, kVector };

  /// `initialized`: every row holds a value from the beginning, as host memory does.
  explicit RowHistory(bool initialized) : initialized_(initialized) {}

  std::optional<Conflict> read(std::uint64_t begin, std::uint64_t end, const Access& access,
                               Reader reader);
  std::optional<Conflict> write(std::uint64_t begin, std::uint64_t end, const Access& access);

  /// The first row of [begin, end) that nothing has written yet.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Segment {
    std::uint64_t end = 0;
    Access write;
    std::array<Access, 3> reads;
  };
  using Segments = std::map<std::uint64_t, Segment>;  // by first row; disjoint

  // Cuts so that [begin, end) is covered by whole segments, and returns the first of them.
  Segments::iterator cover(std::uint64_t begin, std::uint64_t end);
  void split(std::uint64_t row);
  void fill(std::uint64_t begin, std::uint64_t end);

  bool initialized_;
  Segments segments_;
};

}  // namespace weft
