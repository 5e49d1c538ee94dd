// A 64-bit hash of many bytes. It detects accidental changes; it does not protect against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "models/counter_random.h"

namespace weft::data {

class Fingerprint {
 public:
  /// Hashes eight bytes at a time. It hashes the length too; otherwise bytes could move from one
  /// call to the next without changing the result.
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
      add(word);
    }
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add(std::uint64_t word) { value_ = mix(value_ ^ word) + 0x9E3779B97F4A7C15U; }

  std::uint64_t value() const { return mix(value_); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace weft::data
