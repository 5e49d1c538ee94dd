// The vector arithmetic of the tile kernels, one struct per kind of word: it packs a word of
// weights, stages activations, does one dot product step, and finishes a sum. The micro-kernel is
// written once on top of these. Compiled once for each instruction set.

// The toggle that Highway's multiple inclusion prescribes instead of #pragma once.
#if defined(WEFT_SIM_ARRAY_TILE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_SIM_ARRAY_TILE_LANES_INL_H_
#undef WEFT_SIM_ARRAY_TILE_LANES_INL_H_
#else
#define WEFT_SIM_ARRAY_TILE_LANES_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "pe/arithmetic.h"
#include "sim/array/kernels/float_lanes-inl.h"

// Highway 1.0.3 names AVX-VNNI where its detection means AVX-512 VNNI, so the 512-bit dot product
// needs this addition. Code under this target must not contain a loop that GCC could turn into a
// 128- or 256-bit dot product: GCC might choose the AVX-VNNI encoding, which some of the processors
// detected here lack.
#if HWY_TARGET == HWY_AVX3_DL
#undef HWY_TARGET_STR
#define HWY_TARGET_STR \
  HWY_TARGET_STR_AVX3  \
  ",vpclmulqdq,avx512vbmi,avx512vbmi2,vaes,avxvnni,avx512vnni,avx512bitalg,avx512vpopcntdq"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// bf16 and fp16: a word is one widened float.
template <class Arithmetic>
struct FloatLanes {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;
  using Element = typename Arithmetic::Element;
  static constexpr std::size_t kElementsPerWord = 1;

  static float word(const Element* const* rows, std::size_t col) {
    return Arithmetic::widen(rows[0][col]);
  }
  /// Where a column's chain starts: always at +0 for floats.
  static float initial(float, const Element* const*, std::size_t) { return 0.0F; }
  static void stage(const Element* from, std::size_t count, float* words) {
    for (std::size_t i = 0; i < count; ++i) words[i] = Arithmetic::widen(from[i]);
  }
  /// Whether rows of zero weights can change a sum.
  static constexpr bool kZeroRowsCount = true;
  /// One addend with the effect of `count` activations times weights of +0 on any sum. A finite
  /// activation adds a zero of its own sign, so a sum of -0 becomes +0 if any of them is positive.
  /// An infinite or NaN activation makes the sum NaN.
  static float zero_rows(const Element* acts, std::size_t count) {
    constexpr std::uint16_t kInfinite = std::is_same_v<Element, Bf16> ? 0x7F80 : 0x7C00;
    std::uint16_t signs = 0x8000;
    std::uint16_t exponent = 0;
    for (std::size_t i = 0; i < count; ++i) {
      signs &= acts[i].bits;
      exponent = std::max<std::uint16_t>(exponent, acts[i].bits & kInfinite);
    }
    if (exponent == kInfinite) return std::bit_cast<float>(kCanonicalNan);
    return signs != 0 ? -0.0F : 0.0F;
  }
  static HWY_INLINE V dot(V acts, V weights, V sum) {
    return fused_multiply_add(acts, weights, sum);
  }
  /// NaN is sticky: after the first NaN in a chain, every later sum is NaN too, and its payload has
  /// no other effect. So making only the last sum canonical gives the same bits as making each sum
  /// canonical.
  static HWY_INLINE V finish(V sum) { return canonical_lanes(sum); }
};

#if HWY_TARGET == HWY_AVX3_DL

/// A word is four int8 rows. A step is one vpdpbusd, which wraps and does not saturate.
struct Int8Lanes {
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<D>;
  static constexpr bool kZeroRowsCount = false;
  static constexpr std::size_t kElementsPerWord = 4;
  // The instruction takes one unsigned operand, so activations enter as a + 128 (the sign bit
  // flipped). Each column starts at -128 * sum(w) to cancel this, exactly, modulo 2^32.
  static constexpr std::int32_t kOffset = 128;

  static std::int32_t word(const std::int8_t* const* rows, std::size_t col) {
    std::uint32_t packed = 0;
    for (unsigned i = 0; i < kElementsPerWord; ++i) {
      packed |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(rows[i][col])) << (8 * i);
    }
    return static_cast<std::int32_t>(packed);
  }
  static std::int32_t initial(std::int32_t so_far, const std::int8_t* const* rows,
                              std::size_t col) {
    const std::int32_t sum = rows[0][col] + rows[1][col] + rows[2][col] + rows[3][col];
    return Int8Arithmetic::add(so_far, -kOffset * sum);
  }
  static void stage(const std::int8_t* from, std::size_t count, std::int32_t* words) {
    auto* bytes = reinterpret_cast<unsigned char*>(words);
    for (std::size_t i = 0; i < count; ++i) {
      bytes[i] = static_cast<unsigned char>(static_cast<unsigned char>(from[i]) ^ kOffset);
    }
  }
  static HWY_INLINE V dot(V acts, V weights, V sum) {
    return V{_mm512_dpbusd_epi32(sum.raw, acts.raw, weights.raw)};
  }
  static HWY_INLINE V finish(V sum) { return sum; }
};

#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

/// A word is two int8 rows, widened to int16. A step is one vpmaddwd; its sum of two products is
/// exact.
struct Int8Lanes {
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<D>;
  static constexpr bool kZeroRowsCount = false;
  static constexpr std::size_t kElementsPerWord = 2;

  static std::int32_t pair(std::int8_t low, std::int8_t high) {
    const auto low_bits = static_cast<std::uint32_t>(std::int32_t{low}) & 0xFFFFU;
    return static_cast<std::int32_t>(low_bits | static_cast<std::uint32_t>(std::int32_t{high})
                                                    << 16);
  }
  static std::int32_t word(const std::int8_t* const* rows, std::size_t col) {
    return pair(rows[0][col], rows[1][col]);
  }
  static std::int32_t initial(std::int32_t, const std::int8_t* const*, std::size_t) { return 0; }
  static void stage(const std::int8_t* from, std::size_t count, std::int32_t* words) {
    for (std::size_t i = 0; i + 1 < count; i += 2) words[i / 2] = pair(from[i], from[i + 1]);
    if (count % 2 != 0) words[count / 2] = pair(from[count - 1], 0);
  }
  static HWY_INLINE V dot(V acts, V weights, V sum) {
    const hn::RepartitionToNarrow<D> d16;
    // With instructions of x86, "reorder" keeps each pair in its lane and leaves the second sum
    // alone. HWY_EMU128, for processors without SSSE3, adds odd products to the second sum.
    V unused = hn::Zero(D());
    return hn::ReorderWidenMulAccumulate(D(), hn::BitCast(d16, acts), hn::BitCast(d16, weights),
                                         sum, unused);
  }
  static HWY_INLINE V finish(V sum) { return sum; }
};

#else

/// A word is one int8 widened to int32, for targets where pairwise products move between lanes.
struct Int8Lanes {
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<D>;
  static constexpr bool kZeroRowsCount = false;
  static constexpr std::size_t kElementsPerWord = 1;

  static std::int32_t word(const std::int8_t* const* rows, std::size_t col) { return rows[0][col]; }
  static std::int32_t initial(std::int32_t, const std::int8_t* const*, std::size_t) { return 0; }
  static void stage(const std::int8_t* from, std::size_t count, std::int32_t* words) {
    for (std::size_t i = 0; i < count; ++i) words[i] = from[i];
  }
  static HWY_INLINE V dot(V acts, V weights, V sum) { return hn::Add(sum, hn::Mul(acts, weights)); }
  static HWY_INLINE V finish(V sum) { return sum; }
};

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace weft
HWY_AFTER_NAMESPACE();

#endif  // WEFT_SIM_ARRAY_TILE_LANES_INL_H_
