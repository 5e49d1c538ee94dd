// Conditions, links and goals of sweeps: one line of arithmetic. Also the values along an axis.
#include "runtime/sweep/space/expression.h"

#include <array>
#include <string>

#include "runtime/analysis/axis_values.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool expression(std::string_view bytes) {
  static const std::array<std::string, 4> kNames = {"rows", "cols", "array.rows", "m"};
  if (!has_long_range(bytes)) accepts([&] { runtime::parse_values(bytes, "fuzz"); });
  return accepts([&] {
    const sweep::Expression parsed(std::string(bytes), kNames, "fuzz");
    for (const std::size_t place : parsed.used()) require(place < kNames.size(), "a known name");
    parsed.value(std::array{1.0, 2.0, 3.0, 4.0});
    parsed.value(std::array{0.0, -1.0, 1e300, 0.5});
  });
}

}  // namespace weft::fuzz
