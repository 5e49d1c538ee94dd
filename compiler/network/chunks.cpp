#include "compiler/network/chunks.h"

#include <algorithm>

#include "sim/config/error.h"

namespace weft::network {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The number of steps of at most `most` in which `count` is done in nearly equal ones.
std::int64_t even_step(std::int64_t count, std::int64_t most) {
  return ceil_div(count, ceil_div(count, std::max<std::int64_t>(1, most)));
}

void cut_lines(const RowWalk& walk, std::int64_t limit, std::int64_t image,
               std::vector<Chunk>& chunks) {
  const std::int64_t width = walk.x.output;
  const std::int64_t lines = even_step(walk.y.output, limit / width);
  const std::int64_t columns = even_step(width, limit);
  for (std::int64_t y = 0; y < walk.y.output; y += lines) {
    const std::int64_t ys = std::min(lines, walk.y.output - y);
    for (std::int64_t x = 0; x < width; x += columns) {
      chunks.push_back({image, 1, y, ys, x, std::min(columns, width - x),
                        (image * walk.y.output + y) * width + x});
    }
  }
}

struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;  // exclusive
};

/// The input positions inside [0, input) that output positions [from, from + count) read.
Span input_span(const graph::WindowDim& dim, std::int64_t from, std::int64_t count) {
  const std::int64_t first = from * dim.stride - dim.pad_begin;
  const std::int64_t last = (from + count - 1) * dim.stride - dim.pad_begin + dim.extent();
  return {std::max<std::int64_t>(first, 0), std::min(last, dim.input)};
}

RowBound bound_of(const graph::WindowDim& dim, std::int64_t origin, std::int64_t count) {
  const std::int64_t last = origin + (count - 1) * dim.stride;
  if (origin >= 0 && last < dim.input) return {};
  return {static_cast<std::int32_t>(origin), static_cast<std::int32_t>(dim.stride),
          static_cast<std::uint32_t>(dim.input)};
}

RowLoop loop_of(std::int64_t count, std::int64_t step) {
  return {static_cast<std::uint32_t>(count), static_cast<std::int32_t>(step)};
}

/// First row of the image that a chunk lies in, without its layers.
std::int64_t first_image_row(const RowWalk& walk, const Chunk& chunk) {
  return chunk.image / walk.z.output * walk.image_step;
}

/// A generator of padding alone.
RowGenerator all_padding(const Chunk& chunk, std::uint16_t pad) {
  RowGenerator rows;
  rows.loops = {loop_of(chunk.xs, 0), loop_of(chunk.ys, 0), loop_of(chunk.images, 0), RowLoop{}};
  rows.bounds = {RowBound{-1, 0, 1}, RowBound{}};
  rows.pad = pad;
  return rows;
}

}  // namespace

std::vector<Chunk> cut(const RowWalk& walk, std::int64_t limit) {
  const std::int64_t pixels = walk.y.output * walk.x.output;
  std::vector<Chunk> chunks;
  if (pixels > limit || (walk.one_image && walk.images > 1)) {
    for (std::int64_t image = 0; image < walk.images; ++image) {
      cut_lines(walk, limit, image, chunks);
    }
    return chunks;
  }
  const std::int64_t images = even_step(walk.images, limit / pixels);
  for (std::int64_t image = 0; image < walk.images; image += images) {
    chunks.push_back({image, std::min(images, walk.images - image), 0, walk.y.output, 0,
                      walk.x.output, image * pixels});
  }
  return chunks;
}

RowRange input_rows(const RowWalk& walk, const Chunk& chunk) {
  const Span y = input_span(walk.y, chunk.y, chunk.ys);
  const Span x = input_span(walk.x, chunk.x, chunk.xs);
  const Span z = input_span(walk.z, chunk.image % walk.z.output, 1);
  if (z.first >= z.last || y.first >= y.last || x.first >= x.last) return {};
  const std::int64_t first_image = first_image_row(walk, chunk);
  const std::int64_t last_image = first_image + (chunk.images - 1) * walk.image_step;
  return {first_image + z.first * walk.z_step + y.first * walk.y_step + x.first * walk.x_step,
          last_image + (z.last - 1) * walk.z_step + (y.last - 1) * walk.y_step +
              (x.last - 1) * walk.x_step + 1};
}

RowGenerator tap_rows(const RowWalk& walk, const Chunk& chunk, std::int64_t ky, std::int64_t kx,
                      std::int64_t row0, std::uint16_t pad) {
  const std::int64_t z = chunk.image % walk.z.output * walk.z.stride - walk.z.pad_begin +
                         ky / walk.y.kernel * walk.z.dilation;
  if (z < 0 || z >= walk.z.input) return all_padding(chunk, pad);
  const std::int64_t y =
      chunk.y * walk.y.stride - walk.y.pad_begin + ky % walk.y.kernel * walk.y.dilation;
  const std::int64_t x = chunk.x * walk.x.stride - walk.x.pad_begin + kx * walk.x.dilation;
  const std::int64_t base =
      row0 + first_image_row(walk, chunk) + z * walk.z_step + y * walk.y_step + x * walk.x_step;
  if (base < 0) {
    throw ConfigError("unified_buffer.kib: too small for the border of a convolution; enlarge it");
  }
  RowGenerator rows;
  rows.base = static_cast<std::uint32_t>(base);
  rows.loops = {loop_of(chunk.xs, walk.x.stride * walk.x_step),
                loop_of(chunk.ys, walk.y.stride * walk.y_step),
                loop_of(chunk.images, walk.image_step), RowLoop{}};
  rows.bounds = {bound_of(walk.x, x, chunk.xs), bound_of(walk.y, y, chunk.ys)};
  rows.pad = pad;
  return rows;
}

std::int64_t margin_of(const RowWalk& walk) {
  return walk.y.pad_begin * walk.y_step + walk.x.pad_begin * walk.x_step;
}

}  // namespace weft::network
