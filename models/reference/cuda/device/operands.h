// What stands between a network's float32 values and a product of another type: operands rounded to
// 16 bits, int8 operands padded for the tensor cores, products with an extent 0.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

/// An operand as a product takes it, and the memory that it lies in.
struct Operand {
  const void* data = nullptr;
  Memory owner;  // null if the data is somebody else's
};

/// `count` float32 elements as operands of `type`, which is not int8: themselves, or rounded to 16
/// bits in new memory.
Operand as_operand(Device& device, MatmulType type, const float* elements, std::int64_t count);

/// The product; zeros if k is 0, and nothing if the result has no elements.
void multiply(Device& device, const Product& product);

/// C [m,n] = A [m,k] * B [k,n] of int8 elements of any extents, row-major: pads and turns the
/// operands, multiplies, and cuts the padding off.
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
