// The text of a lesson's figures, as the pages write numbers.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/examples/lesson_figures.h"

namespace weft::test {

inline std::string whole(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t left = digits.size(); left > 3;) digits.insert(left -= 3, 1, ',');
  return digits;
}

inline std::string decimals(double value, int count) {
  return fmt::format("{:.{}f}", value, count);
}
inline std::string percent(double share) {
  return decimals(100 * share, 1);
}

inline Figure count(std::string what, std::uint64_t value, std::string printed = "") {
  return {std::move(what), whole(value), std::move(printed)};
}

/// Those of lesson 14.
std::vector<Figure> picojoules();
/// Those of lesson 15.
std::vector<Figure> gpu_and_array();

}  // namespace weft::test
