// Random numbers by position: draw i of a stream depends only on seed, stream and i. So tensors can
// be made in any order and in part. The generator is SplitMix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014): a counter and a mixing function. It
// gives the same numbers on every platform, and compilers vectorize a loop of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

/// SplitMix64's mixing function: 64 bits to 64 bits, one to one.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

class CounterRandom {
 public:
  /// Different streams of one seed are unrelated.
  CounterRandom(std::uint64_t seed, std::uint64_t stream) : key_(mix(seed + mix(stream + 1))) {}

  /// Draw i: 64 bits.
  std::uint64_t bits(std::uint64_t i) const { return mix(key_ + (i + 1) * 0x9E3779B97F4A7C15U); }
  /// Draw i as a number in [-1, 1), a multiple of 2^-23.
  float symmetric(std::uint64_t i) const { return to_symmetric(bits(i) >> 40U); }
  /// Draw i as a whole number in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t i, std::uint64_t bound) const { return bits(i) % bound; }

  /// Sets each element to center + spread * u, u in [-1, 1). One draw gives two elements.
  void fill(std::span<float> out, float center, float spread) const;

 private:
  /// Maps the low 24 bits of `bits` to [-1, 1), exactly in binary32.
  static float to_symmetric(std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits & 0xFF'FFFFU) - (1 << 23)) * 0x1p-23F;
  }

  std::uint64_t key_;
};

}  // namespace weft
