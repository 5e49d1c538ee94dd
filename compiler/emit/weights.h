// Packs constants the way the machine's memories hold them: weights cut for tiles, biases and
// scales as wide rows (32-bit words), filters as narrow rows (elements of the array's type).
#pragma once

#include <compare>
#include <cstdint>

#include "compiler/layers/layers.h"
#include "sim/memory/matrix.h"

namespace weft::compiler {

/// How the K of a constant contraction lies along the array's rows: for each piece of the weights
/// and each tap, `planes` tiles of R rows. Channel k of the input is in row front + k of its tap.
struct KLayout {
  std::int64_t pieces = 1;
  std::int64_t taps = 1;
  std::int64_t planes = 1;
  std::int64_t front = 0;  // rows before channel 0, if the view begins within a plane
  std::int64_t array_rows = 1;

  std::int64_t rows() const { return pieces * taps * planes * array_rows; }
  // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
  friend auto operator<=>(const KLayout&, const KLayout&) = default;
};

/// The matrix [layout.rows(), n] in the array's type: weights minus zero point in their rows, zeros
/// elsewhere, groups as blocks along the diagonal. Float weights are rounded to nearest even.
/// `matrix` selects one of several kMatrix weights.
Matrix pack_weights(const ConstantWeights& weights, const KLayout& layout, std::int64_t k,
                    std::int64_t n, std::int64_t groups, ElementType dtype, std::int64_t matrix);

/// Depthwise filters [C, 1, y, x], in one piece, as narrow rows [taps, C].
Matrix pack_filters(const ConstantWeights& filters, std::int64_t channels, std::int64_t taps,
                    ElementType dtype);

/// Packs a float32 or int32 tensor of sets * n elements as a [1, sets * step] matrix of 32-bit
/// words; each set begins `step` words after the previous one. A tensor of one element fills all
/// sets.
Matrix pack_words(const graph::Tensor& tensor, std::int64_t sets, std::int64_t n,
                  std::int64_t step);
/// The same for one set.
inline Matrix pack_words(const graph::Tensor& tensor, std::int64_t n) {
  return pack_words(tensor, 1, n, n);
}
/// Packs a float32 tensor of n elements, or of one that stands for all, as a [1, n * times] matrix
/// with each element `times` times.
Matrix pack_repeated(const graph::Tensor& tensor, std::int64_t n, std::int64_t times);

}  // namespace weft::compiler
