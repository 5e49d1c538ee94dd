// The copy in staging of the input rows of a chunk, if their sheet is on the host. For a chunk of
// whole lines the copy holds all rows from the first to the last. For a part of a line it holds
// only the box, with lines as short as the box:
//
//   sheet   . . . . . . . .       staging, 3 lines of 4
//           . . a b c d . .
//           . . e f g h . .         a b c d e f g h i j k l
//           . . i j k l . .
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

/// A copy of `layers` times `lines` runs of `length` rows. In the sheet the runs begin at row
/// `first` of the walk; lines are `pitch` rows apart, layers `layer_pitch`.
struct ChunkCopy {
  std::int64_t first = 0;
  std::int64_t layers = 1;
  std::int64_t lines = 1;
  std::int64_t length = 0;
  std::int64_t layer_pitch = 0;
  std::int64_t pitch = 0;
  RowWalk walk = {};      // walks over the copy
  std::int64_t row0 = 0;  // row 0 of `walk`, counted from the first row of the copy
  std::int64_t lead = 0;  // free rows before the copy, since a walk may begin in the border

  std::int64_t rows() const { return layers * lines * length; }
};

/// The copy that `chunk` needs. The first `margin` rows of the unified buffer are always free, so
/// `lead` is only what a walk needs beyond them.
ChunkCopy copy_of(const RowWalk& walk, const Chunk& chunk, std::int64_t margin);

/// UB rows of staging for the rows of `sheet` that a chunk of the walk reads in `planes`: 0 if the
/// sheet is resident.
std::uint64_t input_need(const Places& places, std::size_t sheet, const RowWalk& walk,
                         const Chunk& chunk, const Planes& planes);

}  // namespace weft::compiler
