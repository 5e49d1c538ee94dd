#include "sim/analysis/hazards/access.h"

#include "sim/timing/array_timing.h"

namespace weft {
namespace {

bool in_order(const Access& earlier, const Access& later, std::uint64_t row) {
  return later.first(row) > earlier.last(row);
}

}  // namespace

Cycle delay_of(Moment moment, const MachineConfig& config) {
  if (moment == Moment::kAccumulated) return ArrayTiming(config).front_to_accumulator();
  // A result is readable L cycles after its row was read: it is written in the cycle before.
  return moment == Moment::kResult ? Cycle{config.vector_latency_cycles} - 1 : 0;
}

std::uint64_t first_conflict(const Access& earlier, const Access& later, std::uint64_t begin,
                             std::uint64_t end, const RowClass& rows) {
  begin = rows.first_from(begin);
  if (begin >= end) return end;
  const std::uint64_t last = end - 1 - (end - 1 - begin) % rows.step;
  // The common case, which needs no loop over the rows: even the first access of `later` comes
  // after the last access of `earlier`.
  if (later.first(begin) > earlier.last(last)) return end;
  for (std::uint64_t row = begin; row <= last; row += rows.step) {
    if (!in_order(earlier, later, row)) return row;
  }
  return end;
}

}  // namespace weft
