#include "models/reference/cpu/nn/contraction/batched_product.h"

#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

Shape batch_of(const Shape& shape) {
  if (shape.size() <= 2) return {};
  return {shape.begin(), shape.end() - 2};
}

/// The index of the operand's matrix that contributes to matrix `i` of the result. `batch` is the
/// operand's batch shape.
std::int64_t broadcast_index(const Shape& result, const Shape& batch, std::int64_t i) {
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (std::size_t d = 1; d <= batch.size(); ++d) {
    const std::int64_t extent = batch[batch.size() - d];
    const std::int64_t position = i % result[result.size() - d];
    if (extent != 1) index += position * stride;
    stride *= extent;
    i /= result[result.size() - d];
  }
  return index;
}

}  // namespace

BatchedShape batched_shape(const Shape& a, const Shape& b) {
  BatchedShape shape;
  shape.a_batch = batch_of(a);
  shape.b_batch = batch_of(b);
  shape.batch = graph::broadcast(shape.a_batch, shape.b_batch);
  shape.result = shape.batch;
  shape.k = a.back();
  if (a.size() > 1) {
    shape.m = a[a.size() - 2];
    shape.result.push_back(shape.m);
  }
  if (b.size() > 1) {
    shape.n = b.back();
    shape.result.push_back(shape.n);
  }
  return shape;
}

template <class T, class Sum>
void multiply_batched(const BatchedShape& shape, std::span<const T> a, std::span<const T> b,
                      std::span<Sum> c) {
  if (a.empty() || b.empty() || c.empty()) return;
  const auto [m, k, n] = std::tuple(shape.m, shape.k, shape.n);
  const std::int64_t count = graph::element_count(shape.batch);
  if (graph::element_count(shape.b_batch) == 1) {
    // The right operand is one matrix, so all matrices on the left form one tall matrix.
    return add_product(a.data(), b.data(), c.data(), {count * m, k, n});
  }
  for (std::int64_t i = 0; i < count; ++i) {
    add_product(a.data() + broadcast_index(shape.batch, shape.a_batch, i) * m * k,
                b.data() + broadcast_index(shape.batch, shape.b_batch, i) * k * n,
                c.data() + i * m * n, {m, k, n});
  }
}
template void multiply_batched(const BatchedShape&, std::span<const float>, std::span<const float>,
                               std::span<float>);
template void multiply_batched(const BatchedShape&, std::span<const double>,
                               std::span<const double>, std::span<double>);
template void multiply_batched(const BatchedShape&, std::span<const float>, std::span<const float>,
                               std::span<std::int32_t>);

}  // namespace weft::reference
