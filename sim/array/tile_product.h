// Multiplies one tile of weights with a block of activation rows and gives the same bits as the
// array: each sum starts at +0 and adds the R products in row order. The accumulators then take it,
// or add it once. The `fast` engine computes its values this way. Highway chooses the instruction
// set at run time; all of them give the same bits. Derivation: docs/numerics.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "pe/arithmetic.h"

namespace weft {

template <class Arithmetic>
class TileProduct {
 public:
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  /// An R x C array whose products run on up to `threads` threads (at least 1).
  TileProduct(std::uint32_t rows, std::uint32_t cols, unsigned threads);
  ~TileProduct();
  TileProduct(const TileProduct&) = delete;
  TileProduct& operator=(const TileProduct&) = delete;

  /// Takes the tile [R,C], row-major, and packs it for the kernel.
  void load_tile(std::span<const Element> tile);

  /// acc[i] = act_rows[i] * the loaded tile; with `accumulate`, acc[i] += that. acc is row-major
  /// with C words per row, each act row has R elements. Rows may repeat; they must not overlap
  /// `acc`.
  void multiply(std::span<const Element* const> act_rows, std::span<Psum> acc, bool accumulate);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class TileProduct<Int8Arithmetic>;
extern template class TileProduct<Bf16Arithmetic>;
extern template class TileProduct<Fp16Arithmetic>;

}  // namespace weft
