// The bold numbers of each lesson, computed here from the example's sizes and from published
// figures, never by the simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::test {

struct Figure {
  std::string what;
  std::string text;          // as in the page
  std::string printed = {};  // in the output of a command of the page: "cycles     {} = "
};

/// A grid of R x C PEs.
struct Grid {
  std::uint64_t rows = 1;
  std::uint64_t cols = 1;
};

inline std::uint64_t ceil_div(std::uint64_t size, std::uint64_t tile) {
  return (size + tile - 1) / tile;
}

/// Cycles from the first push to the last product if each tile is pushed while the previous one is
/// in use: R for the first tile, max(M, R) for each fold but the last, M for that, R+C-2 of skew.
std::uint64_t overlapped_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds);

/// The same with one weight register: every fold pushes, streams and drains alone.
std::uint64_t serial_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds);

/// Operations per second that memory and array of the first TPU allow, for one-byte weights that
/// each take part in `rows` multiplications.
double tpu_v1_roof(std::uint64_t rows);

/// Figures of lesson 1 to 15, in page order. Lesson 10 runs LeNet-5, so it needs a LessonFolder.
std::vector<Figure> figures_of(int lesson);

}  // namespace weft::test
