// The batched matrix product under MatMul and its integer forms: NumPy's rules, with which the
// dimensions before the last two broadcast, and a vector is a row on the left, a column on the
// right.
#pragma once

#include <cstdint>
#include <span>

#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

struct BatchedShape {
  Shape batch;    // of the result
  Shape a_batch;  // broadcast to `batch`
  Shape b_batch;
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  Shape result;  // batch, m unless a is a vector, n unless b is
};

/// Of a MatMul of operands of these shapes, which fit together.
BatchedShape batched_shape(const Shape& a, const Shape& b);

/// c = a * b, c zeros before. T and Sum are float and float, double and double, or float and int32
/// (product.h).
template <class T, class Sum>
void multiply_batched(const BatchedShape& shape, std::span<const T> a, std::span<const T> b,
                      std::span<Sum> c);

}  // namespace weft::reference
