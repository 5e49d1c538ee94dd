// What the vector unit does to one row of accumulators: op(acc + bias), word by word.
//
// The bias is one addition in the accumulator's arithmetic. relu and clamp keep NaN; relu gives +0
// for everything that is not greater than zero. Source: docs/numerics.md.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

#include "sim/isa/instruction.h"

namespace weft {

/// relu(x): x if x > 0, NaN if x is NaN, else +0.
template <class Psum>
Psum relu(Psum value) {
  return value <= Psum{0} ? Psum{0} : value;
}

/// x limited to [low, high]: low, with its sign, for everything that is not greater; NaN stays NaN.
template <class Psum>
Psum clamp(Psum value, Psum low, Psum high) {
  if (value <= low) return low;
  return value > high ? high : value;
}

template <class Psum>
Psum apply_op(const Vector& vector, Psum value) {
  switch (vector.op) {
    case VectorOp::kRelu:
      return relu(value);
    case VectorOp::kClamp:
      return clamp(value, std::bit_cast<Psum>(vector.low), std::bit_cast<Psum>(vector.high));
    case VectorOp::kCopy:
      break;
  }
  return value;
}

/// Writes the C results of one accumulator row to `out` as 32-bit words. `bias`: C words, or null.
template <class Arithmetic>
void apply_vector_op(const Vector& vector, std::span<const typename Arithmetic::Psum> acc,
                     const std::byte* bias, std::span<std::byte> out) {
  using Psum = typename Arithmetic::Psum;
  for (std::size_t c = 0; c < acc.size(); ++c) {
    Psum value = acc[c];
    if (bias != nullptr) {
      Psum addend;
      std::memcpy(&addend, bias + c * sizeof(Psum), sizeof(Psum));
      value = Arithmetic::add(value, addend);
    }
    value = apply_op(vector, value);
    std::memcpy(out.data() + c * sizeof(Psum), &value, sizeof(Psum));
  }
}

}  // namespace weft
