// Bit fields packed one after the other, least significant bit first, as in the binary instruction
// words. Example: 3 bits 0b101, then 7 bits 0b0000011:
//
//     byte 0: 00011 101   byte 1: 000000 00
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

/// Writes into bytes that must be zero at first. The caller must ensure that the fields fit.
class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> bytes) : bytes_(bytes) {}

  /// Writes the low `bits` bits of `value`.
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++position_) {
      if ((value >> i & 1U) != 0) bytes_[position_ / 8] |= std::byte{1} << (position_ % 8);
    }
  }

  /// Leaves `bits` bits zero.
  void skip(unsigned bits) { position_ += bits; }

 private:
  std::span<std::byte> bytes_;
  std::size_t position_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t get(unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits; ++i, ++position_) {
      const bool bit = (bytes_[position_ / 8] >> (position_ % 8) & std::byte{1}) != std::byte{0};
      value |= std::uint64_t{bit} << i;
    }
    return value;
  }

  /// Reads `bits` bits. Returns true if all are zeros.
  bool skip_zeros(std::size_t bits) {
    bool all_zero = true;
    for (; bits > 0; --bits) all_zero = get(1) == 0 && all_zero;
    return all_zero;
  }

  /// Reads all remaining bits. Returns true if all are zeros.
  bool rest_is_zero() { return skip_zeros(bytes_.size() * 8 - position_); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace weft
