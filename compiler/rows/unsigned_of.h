// Sizes and positions as indices.
#pragma once

#include <cstdint>

namespace weft::compiler {

/// `value` is not negative.
inline constexpr std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace weft::compiler
