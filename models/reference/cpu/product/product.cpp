#include "models/reference/cpu/product/product.h"

#include <algorithm>
#include <vector>

namespace weft::reference {
namespace {

constexpr std::ptrdiff_t kExactDepth = 256;
static_assert(kExactDepth * 255 * 255 <= (1 << 24));

std::size_t count(std::ptrdiff_t rows, std::ptrdiff_t cols) {
  return static_cast<std::size_t>(rows * cols);
}

/// Copies the first `cols` columns of a matrix [rows, stride] to a dense matrix.
void copy_columns(const float* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                  std::ptrdiff_t cols, float* to) {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    std::copy_n(from + row * stride, cols, to + row * cols);
  }
}

/// Below this sum of extents, and for inner products of any length, Eigen computes element by
/// element. How it splits those loops depends on the operands' addresses, so the same call would
/// not always give the same bits.
constexpr std::ptrdiff_t kSmall = 20;

bool is_small(GemmSize shape) {
  return shape.m + shape.k + shape.n < kSmall || (shape.m == 1 && shape.n == 1);
}

template <class T>
void add_small_product(const T* a, const T* b, T* c, GemmSize shape) {
  for (std::ptrdiff_t i = 0; i < shape.m * shape.n; ++i) {
    const T* row = a + i / shape.n * shape.k;
    const T* col = b + i % shape.n;
    T sum{0};
    for (std::ptrdiff_t k = 0; k < shape.k; ++k) sum += row[k] * col[k * shape.n];
    c[i] += sum;
  }
}

void add_wrapping(const std::vector<float>& sums, std::int32_t* c) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(sums[i]));
    c[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i]) + sum);
  }
}

}  // namespace

void add_product(const float* a, const float* b, float* c, GemmSize shape) {
  if (is_small(shape)) return add_small_product(a, b, c, shape);
  static const GemmFloat kernel = best_gemm().multiply_float;
  kernel(a, b, c, shape);
}

void add_product(const double* a, const double* b, double* c, GemmSize shape) {
  if (is_small(shape)) return add_small_product(a, b, c, shape);
  static const GemmDouble kernel = best_gemm().multiply_double;
  kernel(a, b, c, shape);
}

void add_product(const float* a, const float* b, std::int32_t* c, GemmSize shape) {
  std::vector<float> block(count(shape.m, std::min(shape.k, kExactDepth)));
  std::vector<float> sums(count(shape.m, shape.n));
  for (std::ptrdiff_t k = 0; k < shape.k; k += kExactDepth) {
    const std::ptrdiff_t depth = std::min(kExactDepth, shape.k - k);
    copy_columns(a + k, shape.m, shape.k, depth, block.data());
    std::fill(sums.begin(), sums.end(), 0.0F);
    add_product(block.data(), b + k * shape.n, sums.data(), {shape.m, depth, shape.n});
    add_wrapping(sums, c);
  }
}

template <class T>
void transpose(const T* from, T* to, std::ptrdiff_t rows, std::ptrdiff_t cols) {
  constexpr std::ptrdiff_t kTile = 16;  // 64 bytes or more, so that whole cache lines are used
  for (std::ptrdiff_t first = 0; first < rows; first += kTile) {
    const std::ptrdiff_t end = std::min(first + kTile, rows);
    for (std::ptrdiff_t col = 0; col < cols; ++col) {
      for (std::ptrdiff_t row = first; row < end; ++row) {
        to[col * rows + row] = from[row * cols + col];
      }
    }
  }
}
template void transpose(const float*, float*, std::ptrdiff_t, std::ptrdiff_t);
template void transpose(const double*, double*, std::ptrdiff_t, std::ptrdiff_t);

// Computes c = a b' or c' = b a', whichever transposes the smaller operand. A fully connected layer
// on one image must not transpose its whole weight matrix.
template <class T>
void add_product_transposed(const T* a, const T* b, T* c, GemmSize shape) {
  const auto [m, k, n] = shape;
  if (n <= m) {
    std::vector<T> turned(count(k, n));
    transpose(b, turned.data(), n, k);
    return add_product(a, turned.data(), c, shape);
  }
  std::vector<T> turned(count(k, m));
  std::vector<T> sums(count(n, m));
  transpose(a, turned.data(), m, k);
  transpose(c, sums.data(), m, n);
  add_product(b, turned.data(), sums.data(), {n, k, m});
  transpose(sums.data(), c, n, m);
}
template void add_product_transposed(const float*, const float*, float*, GemmSize);
template void add_product_transposed(const double*, const double*, double*, GemmSize);

}  // namespace weft::reference
