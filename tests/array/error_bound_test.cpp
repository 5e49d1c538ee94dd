// Checks docs/numerics.md: |sum - exact| <= gamma_n * sum |a||w| with n = F*R + F, u = 2^-24.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/array/tile_product.h"

namespace weft {
namespace {

using Random = std::mt19937_64;

Bf16 random_bf16(Random& random) {
  // Both signs and exponents from -8 to 7 give large terms that cancel.
  const double magnitude = std::ldexp(1.0 + static_cast<double>(random() % 128) / 128,
                                      static_cast<int>(random() % 16) - 8);
  return to_bf16(random() % 2 == 0 ? magnitude : -magnitude);
}

double gamma(std::uint32_t n) {
  const double nu = n * std::ldexp(1.0, -24);
  return nu / (1 - nu);
}

struct Sums {
  double exact = 0;
  double magnitudes = 0;
};

/// Adds one fold's terms. Products are exact in binary64; its sums err by 2^-29 of the bound.
void add_exact_terms(const std::vector<Bf16>& acts, const std::vector<Bf16>& tile,
                     std::uint32_t cols, std::vector<Sums>& sums) {
  for (std::size_t r = 0; r < acts.size(); ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      const double term = double{to_float(acts[r])} * double{to_float(tile[r * cols + c])};
      sums[c].exact += term;
      sums[c].magnitudes += std::fabs(term);
    }
  }
}

TEST(FloatErrorBoundTest, FoldedProductsStayWithinTheDerivedBound) {
  constexpr std::uint64_t kSeed = 51;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  int inexact = 0;
  for (int i = 0; i < 40; ++i) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 200);
    const auto cols = static_cast<std::uint32_t>(1 + random() % 40);
    const auto folds = static_cast<std::uint32_t>(1 + random() % 6);
    SCOPED_TRACE(testing::Message() << "R " << rows << " C " << cols << " folds " << folds);
    TileProduct<Bf16Arithmetic> product(rows, cols, 1);
    std::vector<float> acc(cols);
    std::vector<Sums> sums(cols);
    for (std::uint32_t fold = 0; fold < folds; ++fold) {
      std::vector<Bf16> acts(rows);
      std::vector<Bf16> tile(std::size_t{rows} * cols);
      for (auto& value : acts) value = random_bf16(random);
      for (auto& value : tile) value = random_bf16(random);
      product.load_tile(tile);
      const Bf16* const act_row = acts.data();
      product.multiply({&act_row, 1}, acc, fold != 0);
      add_exact_terms(acts, tile, cols, sums);
    }
    for (std::size_t c = 0; c < cols; ++c) {
      const double error = std::fabs(double{acc[c]} - sums[c].exact);
      inexact += error > 0;
      ASSERT_LE(error, gamma(folds * (rows + 1)) * sums[c].magnitudes) << "column " << c;
    }
  }
  EXPECT_GT(inexact, 500);
}

}  // namespace
}  // namespace weft
