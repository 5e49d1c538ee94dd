#include "sim/array/array_sides.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

void check_array_sides(std::uint32_t rows, std::uint32_t cols) {
  if (rows == 0 || cols == 0 || rows > kMaxArraySide || cols > kMaxArraySide) {
    throw InputError(
        fmt::format("array of {} x {}: each side must be 1 to {}", rows, cols, kMaxArraySide));
  }
}

}  // namespace weft
