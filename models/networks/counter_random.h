// Random numbers by position: draw i of a stream is a function of seed, stream and i alone, so that
// tensors may be made in any order and in part. The generator is SplitMix64 (Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), which is a counter and a mixing
// function; it is the same on every platform, and compilers turn a loop of it into vector code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::networks {

/// SplitMix64's mixing function: 64 bits to 64 bits, one to one.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

class CounterRandom {
 public:
  /// Streams of one seed have nothing to do with each other.
  CounterRandom(std::uint64_t seed, std::uint64_t stream) : key_(mix(seed + mix(stream + 1))) {}

  /// Draw i: 64 bits.
  std::uint64_t bits(std::uint64_t i) const { return mix(key_ + (i + 1) * 0x9E3779B97F4A7C15U); }
  /// Draw i as a number in [-1, 1), a multiple of 2^-23.
  float symmetric(std::uint64_t i) const { return to_symmetric(bits(i) >> 40U); }
  /// Draw i as a whole number in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t i, std::uint64_t bound) const { return bits(i) % bound; }

  /// centre + spread * u for each element, u in [-1, 1): two elements from each draw.
  void fill(std::span<float> out, float centre, float spread) const;

 private:
  /// The low 24 bits of `bits`; all are exact in binary32.
  static float to_symmetric(std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits & 0xFF'FFFFU) - (1 << 23)) * 0x1p-23F;
  }

  std::uint64_t key_;
};

}  // namespace weft::networks
