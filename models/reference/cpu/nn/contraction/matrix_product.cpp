// MatMul and Gemm on real elements.
#include "models/reference/cpu/nn/contraction/batched_product.h"
#include "models/reference/cpu/nn/contraction/epilogue.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

/// Gemm's operands: a [m,k] or, transposed, [k,m]; b [k,n] or [n,k].
template <class T>
struct GemmOperands {
  const T* a;
  const T* b;
  bool transpose_a;
  bool transpose_b;
  GemmSize shape;
};

template <class T>
void multiply(const GemmOperands<T>& operands, T* c) {
  const GemmSize& shape = operands.shape;
  std::vector<T> turned;
  const T* a = operands.a;
  if (operands.transpose_a) {
    turned.resize(static_cast<std::size_t>(shape.m * shape.k));
    transpose(operands.a, turned.data(), shape.k, shape.m);
    a = turned.data();
  }
  if (operands.transpose_b) {
    add_product_transposed(a, operands.b, c, shape);
  } else {
    add_product(a, operands.b, c, shape);
  }
}

/// y [m,n] += beta * c, where c broadcasts to [m,n].
template <class T>
void add_broadcast(const Tensor& c, T beta, std::int64_t m, std::int64_t n, std::span<T> y) {
  const Shape& shape = c.shape();
  const std::int64_t cols = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  const auto data = c.data<T>();
  for (std::int64_t i = 0; i < m * n; ++i) {
    const std::int64_t row = rows == 1 ? 0 : i / n;
    const std::int64_t col = cols == 1 ? 0 : i % n;
    const T value = data[static_cast<std::size_t>(row * cols + col)];
    y[static_cast<std::size_t>(i)] += beta == T{1} ? value : beta * value;
  }
}

template <class T>
void scale(T alpha, std::span<T> y) {
  if (alpha == T{1}) return;
  for (T& element : y) element *= alpha;
}

GemmSize gemm_shape(const Shape& a, bool transpose_a, const Shape& b, bool transpose_b) {
  return {transpose_a ? a[1] : a[0], transpose_a ? a[0] : a[1], transpose_b ? b[0] : b[1]};
}

template <class T>
Tensor gemm(const NodeCall& call) {
  const bool transpose_a = call.attributes.integer("transA", 0) != 0;
  const bool transpose_b = call.attributes.integer("transB", 0) != 0;
  const GemmSize shape =
      gemm_shape(input(call, 0).shape(), transpose_a, input(call, 1).shape(), transpose_b);
  Tensor y(graph::data_type_of<T>(), {shape.m, shape.n});
  const std::span<T> out = y.mutable_data<T>();
  const auto a = elements<T>(call, 0);
  const auto b = elements<T>(call, 1);
  if (!a.empty() && !b.empty()) {
    multiply<T>({a.data(), b.data(), transpose_a, transpose_b, shape}, out.data());
  }
  scale<T>(static_cast<T>(call.attributes.real("alpha", 1.0F)), out);
  if (const Tensor* c = optional_input(call, 2)) {
    add_broadcast<T>(*c, static_cast<T>(call.attributes.real("beta", 1.0F)), shape.m, shape.n, out);
  }
  add_residual_and_activate(call, elements<T>(call, 3), out);
  return y;
}

Tensors evaluate_matmul(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors {
    const BatchedShape shape = batched_shape(input(call, 0).shape(), input(call, 1).shape());
    Tensor y(graph::data_type_of<T>(), shape.result);
    const std::span<T> out = y.mutable_data<T>();
    multiply_batched(shape, elements<T>(call, 0), elements<T>(call, 1), out);
    add_bias_to_rows(out, elements<T>(call, 2));
    add_residual_and_activate(call, elements<T>(call, 3), out);
    return {std::move(y)};
  });
}

Tensors evaluate_gemm(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors { return {gemm<T>(call)}; });
}

}  // namespace

Kernels product_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kMatMul, with_half<evaluate_matmul>},
      {Op::kGemm, with_half<evaluate_gemm>},
  });
  return kKernels;
}

}  // namespace weft::reference
