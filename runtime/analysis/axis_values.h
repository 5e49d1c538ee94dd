// The values that one axis of a sweep takes, as the user writes them:
//
//   64,128,256      a list
//   100..800        every whole number; the ends belong to the range
//   100..1600*2     100, 200, 400, 800, 1600: each is the last times 2
//   1024..16384+512 each is the last plus 512
//   on,off          names, for keys that take names
//
// Items of a list may be ranges, and may have spaces around them. Numbers are exact decimals with
// at most 9 decimals; what a product has beyond these is cut off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::runtime {

/// The decimals of a number, and 1 in units of the last of them.
inline constexpr unsigned kAxisDecimals = 9;
inline constexpr std::uint64_t kAxisOne = 1'000'000'000;

/// More values along one axis are refused.
inline constexpr std::size_t kMostValues = 1'000'000;

/// The values in the order of the text; one that comes twice stays at its first place. `what` is
/// the option's name in errors. Throws InputError for empty items, a range that ends before it
/// begins, a step that leads nowhere, and more than kMostValues.
std::vector<std::string> parse_values(std::string_view text, std::string_view what);

}  // namespace weft::runtime
