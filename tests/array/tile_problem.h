// Random products for tests of TileProduct. The oracle is the contract itself: for each sum, a
// plain loop down the rows with the scalar arithmetic of pe/arithmetic.h, then one addition to the
// accumulator. The tolerance is 0.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "pe/arithmetic.h"
#include "sim/array/tile_product.h"
#include "tests/array/simd_targets.h"

namespace weft {

using Random = std::mt19937_64;

/// One product with its accumulators before it.
template <class Arithmetic>
struct Problem {
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  std::uint32_t m, rows, cols;
  std::vector<Element> acts;  // [m, rows]
  std::vector<Element> tile;  // [rows, cols]
  std::vector<Psum> acc;      // [m, cols]
};

/// The kinds of values that a float problem draws.
enum class Values { kOrdinary, kAnyBits, kSpecial };

inline std::int8_t random_element(Random& random, Int8Arithmetic, Values values) {
  if (values == Values::kSpecial) return random() % 2 == 0 ? -128 : 127;
  return static_cast<std::int8_t>(random());
}

template <class Arithmetic>
typename Arithmetic::Element random_element(Random& random, Arithmetic, Values values) {
  using Element = typename Arithmetic::Element;
  // Infinities, NaNs, zeros of both signs, subnormals and the largest values of both formats. A
  // pattern that is special in one format is at least unusual in the other.
  static constexpr std::array<std::uint16_t, 16> kSpecial = {
      0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x03FF, 0x0400, 0x0080,
      0x7BFF, 0xFBFF, 0x7F7F, 0xFF7F, 0x7C00, 0xFF80, 0x7FC1, 0x3C00};
  const auto bits = static_cast<std::uint16_t>(random());
  if (values == Values::kAnyBits) return Element{bits};
  if (values == Values::kSpecial && random() % 4 == 0) return Element{kSpecial[bits % 16]};
  const float value = static_cast<float>(static_cast<std::int16_t>(bits)) / 8192.0F;
  if constexpr (std::is_same_v<Element, Bf16>) {
    return to_bf16(value);
  } else {
    return to_fp16(value);
  }
}

template <class Arithmetic>
typename Arithmetic::Psum random_psum(Random& random, Values values) {
  using Psum = typename Arithmetic::Psum;
  const auto bits = static_cast<std::uint32_t>(random());
  if constexpr (std::is_same_v<Psum, std::int32_t>) {
    return static_cast<std::int32_t>(bits);
  } else {
    if (values != Values::kOrdinary && bits % 4 == 0) return std::bit_cast<float>(bits);
    return static_cast<float>(static_cast<std::int32_t>(bits)) / 65536.0F;
  }
}

template <class Arithmetic>
Problem<Arithmetic> random_problem(Random& random, std::uint32_t m, std::uint32_t rows,
                                   std::uint32_t cols, Values values) {
  Problem<Arithmetic> problem{m, rows, cols, {}, {}, {}};
  for (std::size_t i = 0; i < std::size_t{m} * rows; ++i) {
    problem.acts.push_back(random_element(random, Arithmetic{}, values));
  }
  for (std::size_t i = 0; i < std::size_t{rows} * cols; ++i) {
    problem.tile.push_back(random_element(random, Arithmetic{}, values));
  }
  for (std::size_t i = 0; i < std::size_t{m} * cols; ++i) {
    problem.acc.push_back(random_psum<Arithmetic>(random, values));
  }
  return problem;
}

/// The accumulators after the product, by the contract.
template <class Arithmetic>
std::vector<typename Arithmetic::Psum> oracle(const Problem<Arithmetic>& p, bool accumulate) {
  std::vector<typename Arithmetic::Psum> result = p.acc;
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t c = 0; c < p.cols; ++c) {
      typename Arithmetic::Psum psum{};
      for (std::size_t r = 0; r < p.rows; ++r) {
        psum = Arithmetic::mac(Arithmetic::widen(p.acts[i * p.rows + r]),
                               Arithmetic::widen(p.tile[r * p.cols + c]), psum);
      }
      auto& acc = result[i * p.cols + c];
      acc = accumulate ? Arithmetic::add(acc, psum) : psum;
    }
  }
  return result;
}

/// The rows of activations, as TileProduct takes them.
template <class Arithmetic>
std::vector<const typename Arithmetic::Element*> rows_of(const Problem<Arithmetic>& p) {
  std::vector<const typename Arithmetic::Element*> rows;
  for (std::size_t i = 0; i < p.m; ++i) rows.push_back(p.acts.data() + i * p.rows);
  return rows;
}

/// The accumulators after the product, by the kernel under test.
template <class Arithmetic>
std::vector<typename Arithmetic::Psum> product(const Problem<Arithmetic>& p, bool accumulate,
                                               unsigned threads) {
  TileProduct<Arithmetic> kernel(p.rows, p.cols, threads);
  kernel.load_tile(p.tile);
  std::vector<typename Arithmetic::Psum> acc = p.acc;
  kernel.multiply(rows_of(p), acc, accumulate);
  return acc;
}

template <class Psum>
void expect_same_bits(const std::vector<Psum>& actual, const std::vector<Psum>& expected,
                      std::size_t cols) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(actual[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "row " << i / cols << " column " << i % cols << ": " << actual[i] << " instead of "
        << expected[i];
  }
}

template <class Arithmetic>
void expect_exact(const Problem<Arithmetic>& p) {
  SCOPED_TRACE(testing::Message() << to_string(Arithmetic::kType) << " M " << p.m << " R " << p.rows
                                  << " C " << p.cols);
  for (const bool accumulate : {false, true}) {
    SCOPED_TRACE(accumulate ? "accumulate" : "overwrite");
    const auto expected = oracle(p, accumulate);
    test::on_every_target([&] { expect_same_bits(product(p, accumulate, 1), expected, p.cols); });
  }
}

}  // namespace weft
