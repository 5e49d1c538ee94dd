// Binary columns of the page's data, as base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace weft::report {

std::string base64(std::span<const std::byte> bytes);

/// Unsigned integers, little-endian on every computer.
template <class Word>
requires std::is_unsigned_v<Word> std::string base64_words(std::span<const Word> values) {
  std::vector<std::byte> bytes;
  bytes.reserve(values.size() * sizeof(Word));
  for (const Word value : values) {
    for (unsigned shift = 0; shift < 8 * sizeof(Word); shift += 8) {
      bytes.push_back(static_cast<std::byte>(std::uint64_t{value} >> shift & 0xFFU));
    }
  }
  return base64(bytes);
}

}  // namespace weft::report
