// The CPU reference: the machine's matrix product, computed with Eigen and without any part of the
// simulator.
//
// It works in blocks, so that it needs only a few megabytes besides the result, whatever the
// shapes.
//
//           n          `##` is one block of the result. Blocks of a and b are widened to float or
//        +--+--+       double when needed: 1/256 of the work.
//      m |  |##|  <-   int8: products are at most 2^14 in magnitude, so sums over k <= 1024 are
//        +--+--+       integers of at most 2^24, exact in binary32 in any order. Blocks add up
//                      modulo 2^32.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/program.h"
#include "sim/memory/matrix.h"

namespace weft::reference {

/// activation((A - a_zero_point) * (B - b_zero_point) + bias); zero points apply to int8 only.
struct MatmulProblem {
  const Matrix& a;               // [M,K] int8, bf16 or fp16
  const Matrix& b;               // [K,N] of the same type
  const Matrix* bias = nullptr;  // [1,N] int32 or float32, or null
  Activation activation = Activation::kNone;
  std::int32_t a_zero_point = 0;
  std::int32_t b_zero_point = 0;
};

/// Rows [first, first + count) of the result.
struct ResultRows {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// int8 operands; exact modulo 2^32, row-major [count, N].
/// Throws InputError if shapes or types do not fit together.
std::vector<std::int32_t> matmul_int32(const MatmulProblem& problem, ResultRows rows,
                                       unsigned threads = 1);

/// bf16 or fp16 operands, computed in binary64. Throws like matmul_int32.
std::vector<double> matmul_float64(const MatmulProblem& problem, ResultRows rows,
                                   unsigned threads = 1);

/// bf16 or fp16 operands, computed in binary32; the order of additions is unspecified. Throws like
/// matmul_int32.
std::vector<float> matmul_float32(const MatmulProblem& problem, ResultRows rows,
                                  unsigned threads = 1);

}  // namespace weft::reference
