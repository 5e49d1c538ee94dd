// The input rows of a chunk. A layer reads them in the sheet itself if the sheet is in the unified
// buffer, else in a copy in staging. For a chunk of whole lines the copy holds all rows from the
// first to the last. For a part of a line it holds only the box, with lines as short as the box:
//
//   sheet   . . . . . . . .       staging, 3 lines of 4
//           . . a b c d . .
//           . . e f g h . .         a b c d e f g h i j k l
//           . . i j k l . .
#pragma once

#include "compiler/emit/sheet_memory.h"
#include "compiler/layers/chunks.h"

namespace weft::network {

/// Half-open range of planes.
struct Planes {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

class ChunkInput {
 public:
  /// Row 0 of the walk is row `row` of the sheet.
  ChunkInput(SheetMemory& memory, std::size_t sheet, std::int64_t row, const RowWalk& walk)
      : memory_(memory), sheet_(sheet), row_(row), walk_(walk) {}

  /// Rows of the sheet or of its copy: `at` says where they lie, `walk` walks over them.
  struct Rows {
    Placement at = {};
    RowWalk walk = {};
  };

  /// UB rows of staging that read() takes.
  std::uint64_t staging_need(const Chunk& chunk, const Planes& planes) const;
  /// The chunk's rows; loads them if the sheet is not in the unified buffer.
  Rows read(const Chunk& chunk, const Planes& planes) const;
  /// Loads the rows into `base`, where staging_need() rows are free.
  Rows read_to(std::uint32_t base, const Chunk& chunk, const Planes& planes) const;

 private:
  struct Copy;
  Copy copy_of(const Chunk& chunk) const;

  SheetMemory& memory_;
  std::size_t sheet_;
  std::int64_t row_;
  RowWalk walk_;
};

}  // namespace weft::network
