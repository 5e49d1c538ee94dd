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

#include "sim/config/error.h"
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

/// out[c] = op(acc[c] + bias[c]) as 32-bit words; no bias if it is null.
template <class Arithmetic, class Op>
void for_each_word(std::span<const typename Arithmetic::Psum> acc, const std::byte* bias,
                   std::span<std::byte> out, Op op) {
  using Psum = typename Arithmetic::Psum;
  for (std::size_t c = 0; c < acc.size(); ++c) {
    Psum value = acc[c];
    if (bias != nullptr) {
      Psum addend;
      std::memcpy(&addend, bias + c * sizeof(Psum), sizeof(Psum));
      value = Arithmetic::add(value, addend);
    }
    value = op(value);
    std::memcpy(out.data() + c * sizeof(Psum), &value, sizeof(Psum));
  }
}

/// Writes the C results of one accumulator row to `out`. `bias`: C words, or null.
template <class Arithmetic>
void apply_vector_op(const Vector& vector, std::span<const typename Arithmetic::Psum> acc,
                     const std::byte* bias, std::span<std::byte> out) {
  using Psum = typename Arithmetic::Psum;
  switch (vector.op) {  // outside the loop, which is a plain copy for most instructions
    case VectorOp::kCopy:
      if (bias == nullptr) return void(std::memcpy(out.data(), acc.data(), acc.size_bytes()));
      return for_each_word<Arithmetic>(acc, bias, out, [](Psum value) { return value; });
    case VectorOp::kRelu:
      return for_each_word<Arithmetic>(acc, bias, out, relu<Psum>);
    case VectorOp::kClamp:
      return for_each_word<Arithmetic>(
          acc, bias, out,
          [low = std::bit_cast<Psum>(vector.low), high = std::bit_cast<Psum>(vector.high)](
              Psum value) { return clamp(value, low, high); });
    default:
      throw SimulationError("this vector operation has no values yet");
  }
}

}  // namespace weft
