#include "compiler/emit/chunk_input.h"

#include <algorithm>

namespace weft::network {

/// A copy of `layers` times `lines` runs of `length` rows. In the sheet the runs begin at row
/// `first` of the walk; lines are `pitch` rows apart, layers `layer_pitch`.
struct ChunkInput::Copy {
  std::int64_t first = 0;
  std::int64_t layers = 1;
  std::int64_t lines = 1;
  std::int64_t length = 0;
  std::int64_t layer_pitch = 0;
  std::int64_t pitch = 0;
  RowWalk walk = {};
  std::int64_t row0 = 0;  // row 0 of `walk`, counted from the first row of the copy
  std::int64_t lead = 0;  // free rows before the copy, since a walk may begin in the border

  std::int64_t rows() const { return layers * lines * length; }
};

ChunkInput::Copy ChunkInput::copy_of(const Chunk& chunk) const {
  const PositionRange z = input_span(walk_.z, layer_of(walk_, chunk), 1);
  const PositionRange y = input_span(walk_.y, chunk.y, chunk.ys);
  const PositionRange x = input_span(walk_.x, chunk.x, chunk.xs);
  const std::int64_t y_before = y.first - (chunk.y * walk_.y.stride - walk_.y.pad_begin);
  const std::int64_t x_before = x.first - (chunk.x * walk_.x.stride - walk_.x.pad_begin);
  const PositionRange range = input_rows(walk_, chunk);
  Copy copy;
  copy.first = range.first;
  copy.walk = walk_;
  const bool is_piece = chunk.xs < walk_.x.output && walk_.x_step == 1 && chunk.images == 1;
  if (is_piece && range.first < range.last) {
    copy.layers = z.last - z.first;
    copy.lines = y.last - y.first;
    copy.length = x.last - x.first;
    copy.layer_pitch = walk_.z_step;
    copy.pitch = walk_.y_step;
    copy.walk.y_step = copy.length;
    copy.walk.z_step = copy.lines * copy.length;
    copy.walk.image_step = 0;
    copy.row0 = -(z.first * copy.walk.z_step + y.first * copy.length + x.first);
  } else {
    copy.length = range.last - range.first;
    copy.row0 = -(first_image_row(walk_, chunk) + z.first * walk_.z_step + y.first * walk_.y_step +
                  x.first * walk_.x_step);
  }
  const std::int64_t reach = y_before * copy.walk.y_step + x_before * copy.walk.x_step;
  copy.lead = std::max<std::int64_t>(0, reach - memory_.margin());
  return copy;
}

std::uint64_t ChunkInput::staging_need(const Chunk& chunk, const Planes& planes) const {
  if (memory_.resident(sheet_)) return 0;
  const Copy copy = copy_of(chunk);
  return static_cast<std::uint64_t>(copy.lead + (planes.last - planes.first) * copy.rows());
}

ChunkInput::Rows ChunkInput::read(const Chunk& chunk, const Planes& planes) const {
  if (memory_.resident(sheet_)) return {memory_.whole(sheet_), walk_};
  return read_to(memory_.rows().stage(staging_need(chunk, planes)), chunk, planes);
}

ChunkInput::Rows ChunkInput::read_to(std::uint32_t base, const Chunk& chunk,
                                     const Planes& planes) const {
  const Copy copy = copy_of(chunk);
  // A copy without rows (a chunk that is all padding) still needs distinct planes.
  const std::int64_t plane_step = std::max<std::int64_t>(1, copy.rows());
  const std::int64_t origin = std::int64_t{base} + copy.lead - planes.first * plane_step;
  for (std::int64_t line = 0; line < copy.layers * copy.lines; ++line) {
    const std::int64_t first =
        row_ + copy.first + line / copy.lines * copy.layer_pitch + line % copy.lines * copy.pitch;
    const Placement placement{origin + line * copy.length - first, plane_step, 1};
    memory_.load(sheet_, {planes.first, planes.last, first, first + copy.length}, placement);
  }
  return {{origin + copy.row0 - row_, plane_step, 1}, copy.walk};
}

}  // namespace weft::network
