// The rows that a chunk reads, where a layer finds them: in the sheet itself if it is resident,
// else in a copy in staging. A chunk of whole lines copies the rows from its first to its last; a
// piece of a line copies its box alone, with lines as short as the box:
//
//   sheet   . . . . . . . .       staging, 3 lines of 4
//           . . a b c d . .
//           . . e f g h . .         a b c d e f g h i j k l
//           . . i j k l . .
#pragma once

#include "compiler/network/chunks.h"
#include "compiler/network/sheet_memory.h"

namespace weft::network {

/// Half-open.
struct Planes {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

class ChunkInput {
 public:
  /// Row `row` of the sheet is row 0 of the walk.
  ChunkInput(SheetMemory& memory, std::size_t sheet, std::int64_t row, const RowWalk& walk)
      : memory_(memory), sheet_(sheet), row_(row), walk_(walk) {}

  /// Rows of the sheet, or what stands for them: `at` has them, `walk` goes over them.
  struct Rows {
    Placement at = {};
    RowWalk walk = {};
  };

  /// UB rows that read() stages.
  std::uint64_t staging_need(const Chunk& chunk, const Planes& planes) const;
  /// The chunk's rows, loaded if the sheet is not resident.
  Rows read(const Chunk& chunk, const Planes& planes) const;
  /// The same into `base`, where as many rows as staging_need() are free.
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
