// Decimal fractions as scaled integers: "12.5" with 9 decimals is 12500000000. Exact both ways, so
// that no rate passes through floating point on its way from a file to a cycle count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// `text` times 10^decimals. Nothing for text that is not digits[.digits], that has more decimals
/// than fit, or that overflows.
std::optional<std::uint64_t> parse_decimal(std::string_view text, unsigned decimals);

/// The shortest text that parse_decimal() reads as `value`.
std::string print_decimal(std::uint64_t value, unsigned decimals);

}  // namespace weft
