// Reads text that a person wrote: blanks around it, and whole numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// The text without spaces and tabs at either end, nor the bytes \r, \v and \f.
std::string_view trimmed(std::string_view text);

/// Parses a decimal whole number from `low` to `high`. Throws InputError with `what`, the text and
/// the range.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t low,
                           std::uint64_t high);

/// Parses the size of a matrix, 1 to 2^40. Throws InputError.
std::uint64_t parse_size(std::string_view text, std::string_view what);

}  // namespace weft
