#include "compiler/emit/chunk_input.h"

#include <algorithm>

namespace weft::compiler {

ChunkInput::ChunkRows ChunkInput::read(const Chunk& chunk, const Planes& planes) const {
  memory_.load_inputs();
  const Places& places = memory_.places();
  if (places.resident(sheet_)) return {places.whole(sheet_), walk_};
  return read_to(memory_.staging().stage(input_need(places, sheet_, walk_, chunk, planes)), chunk,
                 planes);
}

ChunkInput::ChunkRows ChunkInput::read_to(std::uint32_t base, const Chunk& chunk,
                                          const Planes& planes) const {
  const ChunkCopy copy = copy_of(walk_, chunk, memory_.places().margin());
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

}  // namespace weft::compiler
