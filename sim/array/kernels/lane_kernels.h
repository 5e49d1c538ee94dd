// The loops over the lanes of a vector row, compiled for several instruction sets; Highway chooses
// the processor's best at run time. Each loop applies one function of lane_functions.h, so every
// instruction set gives the same bits. The function is chosen outside the loop.
//
// Lanes are words of the domain's type: std::int32_t or float. Memory needs no alignment; `x` and
// `y` of one call must not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/isa/instruction.h"

namespace weft {

/// Loops over `n` lanes. The integer loops throw SimulationError for an operator that only reals
/// have; validate() refuses such programs.
template <class Word>
struct WordKernels {
  /// x[i] = x[i] combine y[i].
  void (*combine)(VectorCombine combine, Word* x, const Word* y, std::size_t n);
  /// x[i] = op(x[i]).
  void (*apply)(VectorOp op, Word low, Word high, Word* x, std::size_t n);
  /// The sum as a balanced tree: each level adds neighbors, and an odd last lane moves up
  /// unchanged. sum and max both use x as scratch; n is at least 1.
  Word (*sum)(Word* x, std::size_t n);
  Word (*max)(Word* x, std::size_t n);
};

struct LaneKernels {
  WordKernels<std::int32_t> int32;
  WordKernels<float> float32;

  /// out[i] = sums[i] + bias[i] as binary32; `bias` has n int32 words, or is null.
  void (*convert_sums)(const std::int32_t* sums, const std::byte* bias, float* out, std::size_t n);

  void (*load_int8)(const std::byte* from, std::int32_t* out, std::size_t n);
  void (*load_quantized)(const std::byte* from, Quantization quantization, float* out,
                         std::size_t n);
  void (*load_bf16)(const std::byte* from, float* out, std::size_t n);
  void (*load_fp16)(const std::byte* from, float* out, std::size_t n);

  void (*store_int8)(const std::int32_t* x, std::byte* to, std::size_t n);
  void (*store_quantized)(const float* x, Quantization quantization, std::byte* to, std::size_t n);
  void (*store_bf16)(const float* x, std::byte* to, std::size_t n);
  void (*store_fp16)(const float* x, std::byte* to, std::size_t n);
  /// Stores the words; every NaN becomes canonical.
  void (*store_float32)(const float* x, std::byte* to, std::size_t n);
};

/// The kernels for the best instruction set that this processor has.
LaneKernels best_lane_kernels();

}  // namespace weft
