// What entered the matmul datapath in the first cycles of a run: the rows of activations with their
// destinations, and the rows of weights that were pushed. An animation needs no more, because all
// registers of the array follow from these inputs (pe/pe.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft {

struct ArrayRecording {
  /// Rows of R elements each.
  struct Activations {
    std::vector<std::int32_t> cycle = {};
    std::vector<std::int32_t> acc_row = {};
    std::vector<std::uint8_t> swap = {};        // 1: the first row of a tile
    std::vector<std::uint8_t> accumulate = {};  // 1: added to the accumulator row
    std::vector<std::byte> values = {};         // as the machine holds them, little-endian
  };
  /// Rows of C elements each.
  struct Weights {
    std::vector<std::int32_t> cycle = {};
    std::vector<std::byte> values = {};
  };

  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  ElementType dtype = ElementType::kInt8;
  Cycle end = 0;  // cycles [0, end) are recorded
  Activations activations = {};
  Weights weights = {};
};

}  // namespace weft
