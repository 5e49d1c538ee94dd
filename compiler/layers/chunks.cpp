#include "compiler/layers/chunks.h"

#include <algorithm>

#include "base/error.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

/// The size of the steps, at most `most`, that divide `count` most evenly.
std::int64_t even_step(std::int64_t count, std::int64_t most) {
  return ceil_div(count, ceil_div(count, std::max<std::int64_t>(1, most)));
}

/// The first of the steps along `dim` for each combination of size and input extent.
std::vector<std::int64_t> distinct_steps(const graph::WindowDim& dim, std::int64_t step) {
  struct StepKind {
    std::int64_t count = 0;
    std::int64_t extent = 0;
    bool operator==(const StepKind&) const = default;
  };
  std::vector<StepKind> kinds;
  std::vector<std::int64_t> firsts;
  const std::int64_t last_inside =
      std::min((dim.input - dim.extent() + dim.pad_begin) / dim.stride + 1, dim.output) - step;
  for (std::int64_t from = 0; from < dim.output; from += step) {
    const std::int64_t count = std::min(step, dim.output - from);
    const PositionRange span = input_span(dim, from, count);
    const StepKind kind{count, std::max<std::int64_t>(0, span.last - span.first)};
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
      firsts.push_back(from);
    }
    // Whole steps whose inputs reach over no border are all of one kind.
    const bool is_inside = from * dim.stride >= dim.pad_begin && from <= last_inside;
    if (is_inside) from += (last_inside - from) / step * step;
  }
  return firsts;
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

}  // namespace

std::int64_t first_image_row(const RowWalk& walk, const Chunk& chunk) {
  return chunk.image / walk.z.output * walk.image_step;
}

std::int64_t layer_of(const RowWalk& walk, const Chunk& chunk) {
  return chunk.image % walk.z.output;
}

Chunks::Chunks(const RowWalk& walk, std::int64_t limit)
    : images_{walk.images, 1},
      lines_{walk.y.output, walk.y.output},
      columns_{walk.x.output, walk.x.output} {
  const std::int64_t width = walk.x.output;
  const std::int64_t pixels = walk.y.output * width;
  if (pixels > limit || (walk.one_image && walk.images > 1)) {
    lines_.step = even_step(walk.y.output, limit / width);
    columns_.step = even_step(width, limit);
  } else {
    images_.step = even_step(walk.images, limit / pixels);
  }
}

std::int64_t Chunks::parts(const Steps& steps) {
  return ceil_div(steps.count, steps.step);
}

Chunk Chunks::operator[](std::int64_t index) const {
  const std::int64_t x = index % parts(columns_);
  const std::int64_t y = index / parts(columns_) % parts(lines_);
  const std::int64_t image = index / parts(columns_) / parts(lines_);
  return at(image * images_.step, y * lines_.step, x * columns_.step);
}

Chunk Chunks::at(std::int64_t image, std::int64_t y, std::int64_t x) const {
  return {image,
          std::min(images_.step, images_.count - image),
          y,
          std::min(lines_.step, lines_.count - y),
          x,
          std::min(columns_.step, columns_.count - x),
          (image * lines_.count + y) * columns_.count + x};
}

std::vector<Chunk> distinct_chunks(const RowWalk& walk, std::int64_t limit) {
  const Chunks all(walk, limit);
  std::vector<std::int64_t> images = {0};
  const std::int64_t last_image = (walk.images - 1) / all.images_.step * all.images_.step;
  if (last_image > 0) images.push_back(last_image);
  if (walk.z.output > 1) images = distinct_steps(walk.z, 1);
  std::vector<Chunk> chunks;
  for (const std::int64_t y : distinct_steps(walk.y, all.lines_.step)) {
    for (const std::int64_t x : distinct_steps(walk.x, all.columns_.step)) {
      for (const std::int64_t image : images) chunks.push_back(all.at(image, y, x));
    }
  }
  return chunks;
}

PositionRange input_span(const graph::WindowDim& dim, std::int64_t from, std::int64_t count) {
  const std::int64_t first = from * dim.stride - dim.pad_begin;
  const std::int64_t last = (from + count - 1) * dim.stride - dim.pad_begin + dim.extent();
  return {std::max<std::int64_t>(first, 0), std::min(last, dim.input)};
}

PositionRange input_rows(const RowWalk& walk, const Chunk& chunk) {
  const PositionRange y = input_span(walk.y, chunk.y, chunk.ys);
  const PositionRange x = input_span(walk.x, chunk.x, chunk.xs);
  const PositionRange z = input_span(walk.z, layer_of(walk, chunk), 1);
  if (z.first >= z.last || y.first >= y.last || x.first >= x.last) return {};
  const std::int64_t first_image = first_image_row(walk, chunk);
  const std::int64_t last_image = first_image + (chunk.images - 1) * walk.image_step;
  return {first_image + z.first * walk.z_step + y.first * walk.y_step + x.first * walk.x_step,
          last_image + (z.last - 1) * walk.z_step + (y.last - 1) * walk.y_step +
              (x.last - 1) * walk.x_step + 1};
}

RowGenerator tap_rows(const RowWalk& walk, const Chunk& chunk, std::int64_t ky, std::int64_t kx,
                      std::int64_t row0, std::uint16_t pad) {
  const std::int64_t z = layer_of(walk, chunk) * walk.z.stride - walk.z.pad_begin +
                         ky / walk.y.kernel * walk.z.dilation;
  if (z < 0 || z >= walk.z.input) return padding_rows(chunk.rows(), pad);
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

RowGenerator padding_rows(std::int64_t rows, std::uint16_t pad) {
  RowGenerator padding;
  padding.loops[0] = loop_of(rows, 0);
  padding.bounds = {RowBound{-1, 0, 1}, RowBound{}};
  padding.pad = pad;
  return padding;
}

std::int64_t margin_of(const RowWalk& walk) {
  return walk.y.pad_begin * walk.y_step + walk.x.pad_begin * walk.x_step;
}

}  // namespace weft::compiler
