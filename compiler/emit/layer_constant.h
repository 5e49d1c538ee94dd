// A constant that the vector unit reads while a layer runs: bias, scales, filters. It stays in the
// unified buffer for the whole layer if there is room. Otherwise each tile of channels loads its
// block of rows when needed, into one of two places in staging.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compiler/emit/sheet_memory.h"

namespace weft::network {

class LayerConstant {
 public:
  /// The constant has `blocks` blocks of `block_rows` rows, from host row `host` on. A tile takes
  /// at most `most` blocks. Loads all blocks if they fit.
  LayerConstant(SheetMemory& memory, std::uint64_t host, std::uint32_t block_rows,
                std::uint32_t blocks, std::uint32_t most);

  /// Rows of staging that begin_use() takes.
  std::uint64_t staging_need() const;
  /// Must be called for each use of staging (BufferRows::begin_use()).
  void begin_use();
  /// The UB row of block `first`, followed by the rest of the `count` blocks. Loads them if need
  /// be.
  std::uint32_t rows_of(std::uint32_t first, std::uint32_t count = 1);

 private:
  struct Place {
    std::uint32_t base = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;  // 0: empty
  };
  std::size_t places() const { return most_ < blocks_ ? 2 : 1; }

  SheetMemory* memory_;
  std::uint64_t host_;
  std::uint32_t block_rows_;
  std::uint32_t blocks_;
  std::uint32_t most_;
  std::optional<std::uint32_t> base_;
  std::array<Place, 2> places_;
  std::size_t next_ = 0;
};

}  // namespace weft::network
