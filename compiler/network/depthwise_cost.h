// What a depthwise convolution takes as block-diagonal tiles on the array and tap by tap on the
// vector unit, in cycles from its first load to its last result: which is less decides where it
// runs.
//
//   host link   |load|load|load|const|             |store|store|
//   array             | R |  folds of chunk 1 | folds of chunk 2 | R+C |
//   vector unit                                | rows+L |        | rows+L |
//
// The parts of this picture are added up: what is left out is how the host link and the weight
// memory share a channel for a while.
#pragma once

#include <cstdint>

#include "compiler/network/layers.h"
#include "sim/config/machine_config.h"

namespace weft::network {

struct DepthwiseShape {
  RowWalk walk;
  std::int64_t channels = 1;
  std::int64_t constants = 1;  // numbers for each channel: bias, scale
  bool from_host = false;      // the operand is loaded first
  bool to_host = false;        // the result is stored
  bool wide = false;           // the array's result is 32-bit words
};

struct DepthwiseCost {
  std::int64_t vector_cycles = 0;
  std::int64_t array_cycles = 0;
};
DepthwiseCost depthwise_cost(const DepthwiseShape& shape, const MachineConfig& config);

}  // namespace weft::network
