// A constant of a layer (compiler/blocks/constant_rows.h) while the layer's instructions are
// written.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/blocks/constant_rows.h"
#include "compiler/emit/sheet_memory.h"

namespace weft::compiler {

class LayerConstant {
 public:
  /// The constant begins in host row `host`. Loads all of it if it stays in the unified buffer.
  LayerConstant(SheetMemory& memory, std::uint64_t host, const PlacedConstant& placed);

  /// Must be called for each use of staging (StagingRing::begin_use()). Takes
  /// PlacedConstant::staging_need() rows.
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
  SheetMemory* memory_;
  std::uint64_t host_;
  PlacedConstant placed_;
  std::array<Place, 2> places_;
  std::size_t next_ = 0;
};

}  // namespace weft::compiler
