// Prepares operands for products: rounds float32 to 16 bits, pads int8 for the tensor cores, and
// handles products with an extent of 0.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

/// An operand in the form that a product takes, and the memory that holds it.
struct ProductOperand {
  const void* data = nullptr;
  Memory owner;  // null if the caller owns the data
};

/// Makes operands of `type`, which must not be int8, from `count` float32 elements: the elements
/// themselves, or copies rounded to 16 bits in new memory.
ProductOperand as_operand(Device& device, MatmulType type, const float* elements,
                          std::int64_t count);

/// Runs the product. Writes zeros if k is 0. Does nothing if the result has no elements.
void multiply(Device& device, const DeviceProduct& product);

/// C [m,n] = A [m,k] * B [k,n] for int8 elements and any extents, row-major. Pads the operands,
/// transposes B, multiplies, and removes the padding.
void multiply_int8(Device& device, const std::int8_t* a, const std::int8_t* b, std::int32_t* c,
                   std::int64_t m, std::int64_t k, std::int64_t n);

/// a [m,k] * b [k,n] from and to the processor's memory. For int8 the elements are integers from
/// -128 to 127. Throws InputError if the sizes do not fit.
struct MatmulShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};
std::vector<double> matmul(Device& device, MatmulType type, const std::vector<float>& a,
                           const std::vector<float>& b, MatmulShape shape);

}  // namespace weft::cuda
