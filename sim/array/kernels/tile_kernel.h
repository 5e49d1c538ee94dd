// The interface between TileProduct and its kernels: the packed tile, and one table of functions
// for each instruction set. One table has both packing and multiplication: they share a layout.
//
// The tile is cut into panels of 32 columns. A word is 32 bits: one float, or as many int8 weights
// of one column as the kernel's dot product takes at once (rows g*e .. g*e+e-1 for word row g).
//
//            panel 0            panel 1
//         +-32 columns-+     +-32 columns-+
//   g = 0 | w w w  ... |     | w w w  0 0 |   columns beyond C and rows beyond R are zero words,
//   g = 1 | w w w  ... |     | w w w  0 0 |   whose sums are never stored
//    ...  |            |     |            |
//
// A panel is contiguous, so the inner loop reads the weights in one ascending stream. Each sum is a
// chain: it adds the words of its column in order.
//
// Tiles at the edge of a matrix end in rows and columns of zeros, often most of the tile. Trailing
// rows of +0 and trailing panels of +0 are not multiplied. For floats one more word, of weight 1,
// has their effect on a sum (docs/numerics.md, "Padding").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pe/arithmetic.h"
#include "sim/array/kernels/aligned_buffer.h"

namespace weft {

inline constexpr std::size_t kPanelCols = 32;
/// Rows of activations that the largest kernel keeps in registers at once.
inline constexpr std::size_t kMaxBlockRows = 12;
/// Words that a chain adds between two visits to memory. A panel slice is then 32 KiB of weights,
/// which stays in the cache, and activation rows have a fixed stride, so addresses are constants.
inline constexpr std::size_t kBlockWords = 256;
/// Not a multiple of 4 KiB, because all rows would then share the same cache sets.
inline constexpr std::size_t kActStride = kBlockWords + 16;

template <class Arithmetic>
struct PackedTile {
  using Psum = typename Arithmetic::Psum;  // also the type of a word: both have 32 bits

  PackedTile(std::uint32_t rows, std::uint32_t cols, std::size_t elements_per_word);

  std::size_t rows;
  std::size_t cols;
  std::size_t panels;
  std::size_t words;            // word rows for which a panel has space
  std::size_t live_rows = 0;    // rows of the packed tile without trailing zero rows
  std::size_t live_words = 0;   // words of a chain: the live rows, and one for the zero rows
  std::size_t live_panels = 0;  // panels without trailing panels of zeros
  AlignedBuffer<Psum> weights;  // [panels][words][kPanelCols]
  AlignedBuffer<Psum> initial;  // [panels][kPanelCols]: where each column's chain starts
};

/// What one thread needs besides the tile.
template <class Arithmetic>
struct Workspace {
  using Psum = typename Arithmetic::Psum;

  explicit Workspace(const PackedTile<Arithmetic>& tile)
      : acts(kMaxBlockRows * kActStride),
        partial(tile.words > kBlockWords ? kMaxBlockRows * tile.panels * kPanelCols : 0) {}

  AlignedBuffer<Psum> acts;     // [kMaxBlockRows][kActStride] words, as the kernel multiplies them
  AlignedBuffer<Psum> partial;  // [kMaxBlockRows][panels * kPanelCols] sums between two word blocks
};

template <class Arithmetic>
struct TileKernel {
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  std::size_t elements_per_word;
  std::size_t block_rows;  // a thread's share of the rows should be a multiple of this
  /// Packs tile [rows,cols], row-major, into `packed`.
  void (*pack)(const Element* tile, PackedTile<Arithmetic>& packed);
  /// acc [act_rows.size(), cols] = the product; with `accumulate`, acc += the product.
  void (*multiply)(const PackedTile<Arithmetic>& tile, std::span<const Element* const> act_rows,
                   Psum* acc, bool accumulate, Workspace<Arithmetic>& workspace);
};

/// The kernel for the best instruction set that this processor has.
template <class Arithmetic>
TileKernel<Arithmetic> best_tile_kernel();

template <class Arithmetic>
PackedTile<Arithmetic>::PackedTile(std::uint32_t tile_rows, std::uint32_t tile_cols,
                                   std::size_t elements_per_word)
    : rows(tile_rows),
      cols(tile_cols),
      panels((cols + kPanelCols - 1) / kPanelCols),
      words((rows + elements_per_word - 1) / elements_per_word),
      weights(panels * words * kPanelCols),
      initial(panels * kPanelCols) {}

}  // namespace weft
