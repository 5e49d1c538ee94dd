// A hash that tells texts apart, for names of what a user may edit. It does not protect against
// forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// FNV-1a of 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/.
class TextHash {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * kPrime;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace weft
