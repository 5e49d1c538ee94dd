// The cycles in which an instruction touches the rows of a range; the hazard rule compares them.
//
//   per row   rows origin+j*group .. +group-1 in cycle begin+j      (one row per cycle)
//   strided   row origin+j*group in cycle begin+j: of a row class   (one row per cycle)
//   block     every row somewhere in begin .. begin+length-1        (transfers; a row read by all)
#pragma once

#include <cstdint>
#include <limits>

#include "sim/config/machine_config.h"
#include "sim/isa/row_access.h"
#include "sim/timing/timeline.h"

namespace weft {

struct Access {
  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t instruction = kNobody;
  std::uint32_t group = 0;   // rows by which a cycle's first row advances; 0 for a block
  std::uint64_t origin = 0;  // the row touched in cycle `begin`
  Cycle begin = 0;
  Cycle length = 1;  // cycles in which any one row may be touched

  bool happened() const { return instruction != kNobody; }
  /// The first and the last cycle in which `row` may be touched.
  Cycle first(std::uint64_t row) const {
    return group == 0 ? begin : begin + static_cast<Cycle>((row - origin) / group);
  }
  Cycle last(std::uint64_t row) const { return first(row) + length - 1; }
};

/// Cycles from an instruction's start to its access to index 0; not for Moment::kTransfer.
Cycle delay_of(Moment moment, const MachineConfig& config);

/// The first row of class `rows` in [begin, end) that `later` touches before `earlier` has finished
/// with it; `end` if there is none.
std::uint64_t first_conflict(const Access& earlier, const Access& later, std::uint64_t begin,
                             std::uint64_t end, const RowClass& rows = {});

}  // namespace weft
