// Handwritten digits that nobody wrote: each class is one stroke through a few points; an image is
// that stroke with its points moved, sheared, turned, scaled and shifted, drawn with a pen of some
// width. Enough structure to learn from and to measure agreement on; drawn in a moment, the same on
// every platform, with nothing to download.
//
//        . . # # # . .
//        . # . . . # .        2: (24,30) (30,16) (46,10) ... of a square of 100
//        . . . . . # .
//        . . . # # . .
//        . # # . . . .
//        . # # # # # .
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::networks {

inline constexpr std::int64_t kDigitSize = 28;  // pixels along an edge
inline constexpr int kDigitClasses = 10;

struct Digits {
  graph::Tensor images;     // float32 [count, 1, 28, 28], row-major: 0 is paper, 1 is ink
  std::vector<int> labels;  // 0..9
};

/// `count` digits; number i shows i mod 10 and depends on seed and i alone. Throws InputError if
/// `count` is negative or more than fits the memory.
Digits draw_digits(std::int64_t count, std::uint64_t seed);

}  // namespace weft::networks
