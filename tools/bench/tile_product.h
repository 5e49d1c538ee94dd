// A whole 1024^3 product, computed tile by tile as the fast engine does it: 128 x 128 tiles, all
// rows of M streamed through each, sums accumulated along K.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/array/tile_product.h"

namespace weft::bench {

inline constexpr std::size_t kSize = 1024;
inline constexpr std::uint32_t kTile = 128;

inline void randomize(std::vector<std::int8_t>& values, std::mt19937& random) {
  for (auto& value : values) value = static_cast<std::int8_t>(random());
}

inline void randomize(std::vector<Bf16>& values, std::mt19937& random) {
  for (auto& value : values) value = to_bf16(static_cast<float>(random() % 2001) / 1000.0F - 1.0F);
}

inline void randomize(std::vector<Fp16>& values, std::mt19937& random) {
  for (auto& value : values) value = to_fp16(static_cast<float>(random() % 2001) / 1000.0F - 1.0F);
}

template <class Arithmetic>
class TiledProduct {
 public:
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  TiledProduct()
      : kernel_(kTile, kTile, 1),
        acts_(kSize * kSize),
        weights_(kSize * kSize),
        block_(kSize * kTile),
        rows_(kSize) {
    std::mt19937 random(1);
    randomize(acts_, random);
    randomize(weights_, random);
  }

  /// Computes all 64 folds. Each block of columns overwrites the result of the block before.
  void run() {
    for (std::size_t n = 0; n < kSize; n += kTile) {
      for (std::size_t k = 0; k < kSize; k += kTile) fold(n, k);
    }
  }

 private:
  void fold(std::size_t n, std::size_t k) {
    // A fetched tile is contiguous in the weight FIFO; here the weights are stored tile by tile.
    const std::size_t tile_elements = std::size_t{kTile} * kTile;
    const std::size_t tile = (n / kTile) * (kSize / kTile) + k / kTile;
    kernel_.load_tile(std::span(weights_).subspan(tile * tile_elements, tile_elements));
    for (std::size_t m = 0; m < kSize; ++m) rows_[m] = acts_.data() + m * kSize + k;
    kernel_.multiply(rows_, block_, k != 0);
  }

  TileProduct<Arithmetic> kernel_;
  std::vector<Element> acts_;
  std::vector<Element> weights_;
  std::vector<Psum> block_;
  std::vector<const Element*> rows_;
};

}  // namespace weft::bench
