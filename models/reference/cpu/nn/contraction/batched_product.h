// The batched matrix product under MatMul and its integer forms. It follows NumPy's rules: the
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

/// The shape of a MatMul of operands with these shapes, which must fit together.
BatchedShape batched_shape(const Shape& a, const Shape& b);

/// c = a * b; c must be zeros on entry. T and Sum are float and float, double and double, or float
/// and int32 (cpu/product/product.h).
template <class T, class Sum>
void multiply_batched(const BatchedShape& shape, std::span<const T> a, std::span<const T> b,
                      std::span<Sum> c);

}  // namespace weft::reference
