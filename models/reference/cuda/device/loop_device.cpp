#include "models/reference/cuda/device/loop_device.h"

#include <cstring>
#include <new>

#include "pe/float_formats.h"

namespace weft::cuda {
namespace {

constexpr std::align_val_t kAlignment{256};

// Element (row, column) of a column-major matrix of leading dimension `ld`, or of its transpose.
std::int64_t place(bool transposed, std::int64_t ld, std::int64_t row, std::int64_t column) {
  return transposed ? column + row * ld : row + column * ld;
}

/// GEMM by its definition. `load` converts an operand's element to a factor, `store` converts a sum
/// to a result.
template <class Element, class Sum, class Result, class Load, class Store>
void multiply_batch(const ColumnMajorProduct& call, std::int64_t batch, Load load, Store store) {
  const auto* a = static_cast<const Element*>(call.a) + batch * call.stride_a;
  const auto* b = static_cast<const Element*>(call.b) + batch * call.stride_b;
  auto* c = static_cast<Result*>(call.c) + batch * call.stride_c;
  for (std::int64_t column = 0; column < call.n; ++column) {
    for (std::int64_t row = 0; row < call.m; ++row) {
      Sum sum = 0;
      for (std::int64_t k = 0; k < call.k; ++k) {
        sum += load(a[place(call.transpose_a, call.lda, row, k)]) *
               load(b[place(call.transpose_b, call.ldb, k, column)]);
      }
      c[row + column * call.ldc] = store(sum);
    }
  }
}

void multiply_16_bits(const ColumnMajorProduct& call, std::int64_t batch) {
  const bool bf16 = call.type == MatmulType::kBf16;
  const auto load = [bf16](std::uint16_t bits) {
    return bf16 ? to_float(Bf16{bits}) : to_float(Fp16{bits});
  };
  if (call.narrow_result) {
    multiply_batch<std::uint16_t, float, std::uint16_t>(
        call, batch, load, [bf16](float x) { return bf16 ? bf16_bits(x) : fp16_bits(x); });
  } else {
    multiply_batch<std::uint16_t, float, float>(call, batch, load, [](float x) { return x; });
  }
}

void multiply_one(const ColumnMajorProduct& call, std::int64_t batch) {
  const auto same = [](auto x) { return x; };
  switch (call.type) {
    case MatmulType::kFloat32:
      return multiply_batch<float, float, float>(call, batch, same, same);
    case MatmulType::kTf32:
      return multiply_batch<float, float, float>(call, batch, tf32_value, same);
    case MatmulType::kBf16:
    case MatmulType::kFp16:
      return multiply_16_bits(call, batch);
    case MatmulType::kInt8:
      // Wraps modulo 2^32, as unsigned sums do.
      return multiply_batch<std::int8_t, std::uint32_t, std::int32_t>(
          call, batch, [](std::int8_t x) { return static_cast<std::uint32_t>(std::int32_t{x}); },
          [](std::uint32_t x) { return static_cast<std::int32_t>(x); });
  }
}

}  // namespace

Memory LoopDevice::allocate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes) + 1;  // zero bytes need an address, too
  return {::operator new(size, kAlignment),
          [](void* memory) { ::operator delete(memory, kAlignment); }};
}

void LoopDevice::upload(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void LoopDevice::download(void* to, const void* from, std::int64_t bytes) {
  upload(to, from, bytes);
}

void LoopDevice::run(const Body& body, std::int64_t count) {
  std::visit(
      [count](const auto& one) {
        for (std::int64_t i = 0; i < count; ++i) one(i);
      },
      body);
}

void LoopDevice::multiply(const ColumnMajorProduct& product) {
  for (std::int64_t batch = 0; batch < product.batches; ++batch) multiply_one(product, batch);
}

}  // namespace weft::cuda
