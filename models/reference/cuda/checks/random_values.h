// Random numbers for checks. The same seed gives the same numbers on every platform.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace weft::cuda {

using Generator = std::mt19937_64;

/// From low to high, both included.
inline std::int64_t between(Generator& generator, std::int64_t low, std::int64_t high) {
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(generator() % range);
}

inline bool coin(Generator& generator) {
  return generator() % 2 == 0;
}

/// Multiples of 2^-20 in [-1, 1].
inline std::vector<float> reals(Generator& generator, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value =
        static_cast<float>(between(generator, -(1 << 20), 1 << 20)) / static_cast<float>(1 << 20);
  }
  return values;
}

/// Integers from -128 to 127.
inline std::vector<float> bytes(Generator& generator, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(between(generator, -128, 127));
  return values;
}

}  // namespace weft::cuda
