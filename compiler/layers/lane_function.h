// A unary operator as a function of the vector unit.
#pragma once

#include <cstdint>

#include "sim/isa/instruction.h"

namespace weft {

struct LaneFunction {
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;   // first parameter, as a 32-bit word
  std::uint32_t high = 0;  // second parameter
  friend bool operator==(const LaneFunction&, const LaneFunction&) = default;
};

}  // namespace weft
