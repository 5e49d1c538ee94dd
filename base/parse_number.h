// Whole numbers in text that a person wrote.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// Parses a decimal whole number from `low` to `high`. Throws InputError with `what`, the text and
/// the range.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t low,
                           std::uint64_t high);

/// Parses the size of a matrix, 1 to 2^40. Throws InputError.
std::uint64_t parse_size(std::string_view text, std::string_view what);

}  // namespace weft
