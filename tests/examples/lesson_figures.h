// What the numbers in bold of each lesson are, worked out here from the sizes of the example and
// from published figures, never by the simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::test {

struct Figure {
  std::string what;
  std::string text;          // as the page writes it
  std::string printed = "";  // how a command of the page prints it: "cycles     {} = "
};

/// A grid of R x C PEs.
struct Grid {
  std::uint64_t rows = 1;
  std::uint64_t cols = 1;
};

inline std::uint64_t ceil_div(std::uint64_t size, std::uint64_t tile) {
  return (size + tile - 1) / tile;
}

/// Cycles from the first push to the last product, each tile being pushed while the one before is
/// in use: R for the first tile, max(M, R) for each fold but the last, M for that, R+C-2 of skew.
std::uint64_t overlapped_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds);

/// The same with one register for weights: every fold pushes, streams and drains by itself.
std::uint64_t serial_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds);

/// The operations a second that memory and array allow, for weights of one byte each of which takes
/// part in `rows` multiplications, on the first TPU.
double tpu_v1_roof(std::uint64_t rows);

/// Lesson 1 to 12, in the order of the page. Runs LeNet-5 for lesson 10, in a LessonFolder.
std::vector<Figure> figures_of(int lesson);

}  // namespace weft::test
