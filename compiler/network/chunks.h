// How the output rows of a window walk are cut into chunks that fit the accumulators: whole images,
// else whole lines of one image, else pieces of one line, so that each chunk is one row generator.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/network/layers.h"
#include "compiler/network/sheet_memory.h"

namespace weft::network {

/// A box of output positions; its rows follow each other in the result.
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

/// Chunks of at most `limit` rows (at least 1), nearly equal.
std::vector<Chunk> cut(const RowWalk& walk, std::int64_t limit);

/// How many chunks cut() makes.
std::int64_t chunk_count(const RowWalk& walk, std::int64_t limit);

/// Some of the chunks of cut(): every other one has the same box, and as many input rows, as one of
/// these. Large images have thousands of chunks but a handful of sizes.
std::vector<Chunk> distinct_chunks(const RowWalk& walk, std::int64_t limit);

/// First row of the image that a chunk begins in, and the number of its layer in that image.
std::int64_t first_image_row(const RowWalk& walk, const Chunk& chunk);
std::int64_t layer_of(const RowWalk& walk, const Chunk& chunk);

/// Half-open.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The positions inside [0, input) that `count` windows from the `from`-th on read; last is at most
/// first if all is padding.
RowRange input_span(const graph::WindowDim& dim, std::int64_t from, std::int64_t count);

/// Input rows that a chunk reads, from the first to the last, relative to the view; the box is
/// clipped to the image, and empty if all of it is padding.
RowRange input_rows(const RowWalk& walk, const Chunk& chunk);

/// The generator of tap (ky, kx) for a chunk, where ky counts the kernel's lines through all its
/// layers; `row0` is where input row 0 of the view would lie. Throws ConfigError if a row before
/// the unified buffer would have to be named.
RowGenerator tap_rows(const RowWalk& walk, const Chunk& chunk, std::int64_t ky, std::int64_t kx,
                      std::int64_t row0, std::uint16_t pad);

/// Rows that generators may reach before the first row of their sheet.
std::int64_t margin_of(const RowWalk& walk);

}  // namespace weft::network
