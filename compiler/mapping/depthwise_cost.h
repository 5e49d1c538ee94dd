// Estimates the cycles of a depthwise convolution, from its first load to its last result: as
// block-diagonal tiles on the array, and tap by tap on the vector unit. It runs where the estimate
// is smaller.
//
//   host link   |load|load|load|const|             |store|store|
//   array             | R |  folds of chunk 1 | folds of chunk 2 | R+C |
//   vector unit                                | rows+L |        | rows+L |
//
// The estimate adds up the parts of this picture. It ignores that the host link and the weight
// memory share a channel for a while.
#pragma once

#include <cstdint>

#include "compiler/layers/layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

struct DepthwiseShape {
  RowWalk walk;
  std::int64_t channels = 1;
  std::int64_t constants = 1;  // constants per channel: bias, scale
  bool from_host = false;      // the operand is loaded first
  bool to_host = false;        // the result is stored
  bool wide = false;           // the array's result is 32-bit words
};

struct DepthwiseCost {
  std::int64_t vector_cycles = 0;
  std::int64_t array_cycles = 0;
};
DepthwiseCost depthwise_cost(const DepthwiseShape& shape, const MachineConfig& config);

}  // namespace weft::compiler
