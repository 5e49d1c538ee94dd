// The unified buffer's values: rows of R elements as bytes. The machine decides when a row may be
// read or written.
#pragma once

#include <cstddef>

#include "sim/config/machine_config.h"
#include "sim/memory/row_buffer.h"

namespace weft {

class UnifiedBuffer : public RowBuffer<std::byte> {
 public:
  /// As many rows as the configuration has, zero-filled.
  explicit UnifiedBuffer(const MachineConfig& config)
      : RowBuffer("unified buffer", config.unified_buffer_rows(), config.row_bytes()) {}
};

}  // namespace weft
