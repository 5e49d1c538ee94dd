// How many random cases a test draws.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace weft::compiler::testing {

/// `quick`, or `whole` if the environment has WEFT_TEST_DRAWS=whole (docs/testing.md). For tests
/// whose cases are searches for schedules: all of them take minutes.
inline std::uint64_t draws(std::uint64_t quick, std::uint64_t whole) {
  const char* asked = std::getenv("WEFT_TEST_DRAWS");
  return asked != nullptr && std::string_view(asked) == "whole" ? whole : quick;
}

}  // namespace weft::compiler::testing
