// One tile of weights times a block of activation rows, with the bits of the array: each sum runs
// down the R rows from +0 in order, then is written to, or added once to, the accumulators.
// This is how the `fast` engine computes values. The kernels choose the instruction set at run time
// (Highway); every one of them gives the same bits. Derivation: docs/numerics.md.
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

  /// acc[i][c] (row-major, C words a row) = or += the product of act_rows[i] (R elements each) and
  /// the loaded tile. Rows may repeat; they must not overlap `acc`.
  void multiply(std::span<const Element* const> act_rows, std::span<Psum> acc, bool accumulate);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class TileProduct<Int8Arithmetic>;
extern template class TileProduct<Bf16Arithmetic>;
extern template class TileProduct<Fp16Arithmetic>;

}  // namespace weft
