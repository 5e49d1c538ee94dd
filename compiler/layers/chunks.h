// Cuts the output rows of a window walk into chunks that fit the accumulators: whole images, else
// whole lines of one image, else parts of one line. So one row generator can address each chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/layers/layers.h"

namespace weft::compiler {

/// A box of output positions. Its rows are consecutive in the result.
struct Chunk {
  std::int64_t image = 0;
  std::int64_t images = 1;
  std::int64_t y = 0;
  std::int64_t ys = 1;
  std::int64_t x = 0;
  std::int64_t xs = 1;
  std::int64_t first_row = 0;  // of the result

  std::int64_t rows() const { return images * ys * xs; }
};

/// A walk cut into chunks of at most `limit` rows (at least 1), of nearly equal size. They are made
/// while they are asked for.
class Chunks {
 public:
  Chunks(const RowWalk& walk, std::int64_t limit);

  std::int64_t size() const { return parts(images_) * parts(lines_) * parts(columns_); }
  Chunk operator[](std::int64_t index) const;

 private:
  friend std::vector<Chunk> distinct_chunks(const RowWalk& walk, std::int64_t limit);

  /// `count` positions in steps of `step`; the last step may be shorter.
  struct Steps {
    std::int64_t count = 1;
    std::int64_t step = 1;
  };
  static std::int64_t parts(const Steps& steps);
  Chunk at(std::int64_t image, std::int64_t y, std::int64_t x) const;

  Steps images_;
  Steps lines_;
  Steps columns_;
};

/// A selection of the chunks: every chunk has the same box size and as many input rows as one of
/// these. Large images have thousands of chunks but a handful of sizes.
std::vector<Chunk> distinct_chunks(const RowWalk& walk, std::int64_t limit);

/// First row of the image in which a chunk begins, and the chunk's layer z in that image.
std::int64_t first_image_row(const RowWalk& walk, const Chunk& chunk);
std::int64_t layer_of(const RowWalk& walk, const Chunk& chunk);

/// Half-open range of rows or positions.
struct PositionRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The positions inside [0, input) that `count` windows read, from window `from` on. If they read
/// only padding, last <= first.
PositionRange input_span(const graph::WindowDim& dim, std::int64_t from, std::int64_t count);

/// Input rows that a chunk reads, relative to the view: from the first row of its box, clipped to
/// the image, to the last. Empty if the chunk reads only padding.
PositionRange input_rows(const RowWalk& walk, const Chunk& chunk);

/// The row generator of tap (ky, kx) for a chunk; ky counts the kernel's lines through all its
/// layers. `row0` is the UB row where input row 0 of the view lies or would lie. Throws ConfigError
/// if the generator would begin before the unified buffer.
RowGenerator tap_rows(const RowWalk& walk, const Chunk& chunk, std::int64_t ky, std::int64_t kx,
                      std::int64_t row0, std::uint16_t pad);

/// The row generator of `rows` rows of padding.
RowGenerator padding_rows(std::int64_t rows, std::uint16_t pad);

/// How many rows before the first row of their sheet generators may begin.
std::int64_t margin_of(const RowWalk& walk);

}  // namespace weft::compiler
