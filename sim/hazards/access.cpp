#include "sim/hazards/access.h"

namespace weft {
namespace {

bool in_order(const Access& earlier, const Access& later, std::uint64_t row) {
  return later.first(row) > earlier.last(row);
}

}  // namespace

std::uint64_t first_conflict(const Access& earlier, const Access& later, std::uint64_t begin,
                             std::uint64_t end) {
  // Ordered in the worst case for each: the common case, decided without a walk over the rows.
  if (later.first(begin) > earlier.last(end - 1)) return end;
  for (std::uint64_t row = begin; row < end; ++row) {
    if (!in_order(earlier, later, row)) return row;
  }
  return end;
}

}  // namespace weft
