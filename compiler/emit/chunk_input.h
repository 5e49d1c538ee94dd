// The input rows of a chunk. A layer reads them in the sheet itself if the sheet is in the unified
// buffer, else in a copy in staging (compiler/blocks/chunk_copy.h).
#pragma once

#include "compiler/blocks/chunk_copy.h"
#include "compiler/emit/sheet_memory.h"
#include "compiler/layers/chunks.h"

namespace weft::compiler {

class ChunkInput {
 public:
  /// Row 0 of the walk is row `row` of the sheet.
  ChunkInput(SheetMemory& memory, std::size_t sheet, std::int64_t row, const RowWalk& walk)
      : memory_(memory), sheet_(sheet), row_(row), walk_(walk) {}

  /// Rows of the sheet or of its copy: `at` says where they lie, `walk` walks over them.
  struct ChunkRows {
    Placement at = {};
    RowWalk walk = {};
  };

  /// The chunk's rows; loads them if the sheet is not in the unified buffer.
  ChunkRows read(const Chunk& chunk, const Planes& planes) const;
  /// Loads the rows into `base`, where input_need() rows are free.
  ChunkRows read_to(std::uint32_t base, const Chunk& chunk, const Planes& planes) const;

 private:
  SheetMemory& memory_;
  std::size_t sheet_;
  std::int64_t row_;
  RowWalk walk_;
};

}  // namespace weft::compiler
