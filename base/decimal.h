// Decimal fractions as scaled integers: "12.5" with 9 decimals is 12500000000. Both conversions are
// exact, so that no rate in a file is rounded before it becomes a cycle count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// `text` times 10^decimals. Returns nullopt if `text` is not digits[.digits], has more than
/// `decimals` decimals, or overflows.
std::optional<std::uint64_t> parse_decimal(std::string_view text, unsigned decimals);

/// The shortest text that parse_decimal() reads as `value`.
std::string print_decimal(std::uint64_t value, unsigned decimals);

}  // namespace weft
