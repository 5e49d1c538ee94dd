// Matrix products on raw elements, used by every contraction. Eigen computes them, in the build for
// this processor (models/reference/cpu/product/gemm.h).
//
// Integers use the binary32 product too. The factors are integers of at most 255 in magnitude (a
// byte minus a zero point), so sums over k <= 258 are integers of at most 2^24, exact in binary32
// in any order. Blocks of k add up modulo 2^32.
//
// The same call gives the same bits on the same processor, wherever the operands are in memory.
#pragma once

#include <cstdint>

#include "models/reference/cpu/product/gemm.h"

namespace weft::reference {

/// c [m,n] += a [m,k] * b [k,n]; all row-major and dense, not overlapping.
void add_product(const float* a, const float* b, float* c, GemmSize shape);
void add_product(const double* a, const double* b, double* c, GemmSize shape);
/// The elements of a and b are integers from -255 to 255. Wraps modulo 2^32.
void add_product(const float* a, const float* b, std::int32_t* c, GemmSize shape);

/// c [m,n] += a [m,k] * transpose(b [n,k]).
template <class T>
void add_product_transposed(const T* a, const T* b, T* c, GemmSize shape);

/// to [cols,rows] = transpose(from [rows,cols]).
template <class T>
void transpose(const T* from, T* to, std::ptrdiff_t rows, std::ptrdiff_t cols);

}  // namespace weft::reference
