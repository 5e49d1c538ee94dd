// Synthetic handwritten digits. Each class is one stroke through a few points. An image is that
// stroke with its points moved, sheared, rotated, scaled and shifted, drawn with a pen of random
// width. The images have enough structure to train on and to measure agreement. They are drawn
// quickly, are the same on every platform, and need no download.
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

/// Draws `count` digits. Digit i shows i mod 10 and depends only on `seed` and i. Throws InputError
/// if `count` is negative or the images do not fit in memory.
Digits draw_digits(std::int64_t count, std::uint64_t seed);

}  // namespace weft::networks
