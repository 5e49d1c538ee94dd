#include "compiler/blocks/chunk_copy.h"

#include <algorithm>

namespace weft::compiler {

ChunkCopy copy_of(const RowWalk& walk, const Chunk& chunk, std::int64_t margin) {
  const PositionRange z = input_span(walk.z, layer_of(walk, chunk), 1);
  const PositionRange y = input_span(walk.y, chunk.y, chunk.ys);
  const PositionRange x = input_span(walk.x, chunk.x, chunk.xs);
  const std::int64_t y_before = y.first - (chunk.y * walk.y.stride - walk.y.pad_begin);
  const std::int64_t x_before = x.first - (chunk.x * walk.x.stride - walk.x.pad_begin);
  const PositionRange range = input_rows(walk, chunk);
  ChunkCopy copy;
  copy.first = range.first;
  copy.walk = walk;
  const bool is_piece = chunk.xs < walk.x.output && walk.x_step == 1 && chunk.images == 1;
  if (is_piece && range.first < range.last) {
    copy.layers = z.last - z.first;
    copy.lines = y.last - y.first;
    copy.length = x.last - x.first;
    copy.layer_pitch = walk.z_step;
    copy.pitch = walk.y_step;
    copy.walk.y_step = copy.length;
    copy.walk.z_step = copy.lines * copy.length;
    copy.walk.image_step = 0;
    copy.row0 = -(z.first * copy.walk.z_step + y.first * copy.length + x.first);
  } else {
    copy.length = range.last - range.first;
    copy.row0 = -(first_image_row(walk, chunk) + z.first * walk.z_step + y.first * walk.y_step +
                  x.first * walk.x_step);
  }
  const std::int64_t reach = y_before * copy.walk.y_step + x_before * copy.walk.x_step;
  copy.lead = std::max<std::int64_t>(0, reach - margin);
  return copy;
}

std::uint64_t input_need(const Places& places, std::size_t sheet, const RowWalk& walk,
                         const Chunk& chunk, const Planes& planes) {
  if (places.resident(sheet)) return 0;
  const ChunkCopy copy = copy_of(walk, chunk, places.margin());
  return static_cast<std::uint64_t>(copy.lead + (planes.last - planes.first) * copy.rows());
}

}  // namespace weft::compiler
