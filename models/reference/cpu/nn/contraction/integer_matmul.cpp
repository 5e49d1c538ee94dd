// MatMulInteger and QLinearMatMul: sums are exact modulo 2^32. QLinearMatMul then requantizes them.
// There is one zero point or scale for all elements, one per row of A, or one per column of B.
#include "base/error.h"
#include "models/reference/cpu/nn/contraction/batched_product.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/quantization.h"

namespace weft::reference {
namespace {

struct ProductOperands {
  std::size_t a;
  std::size_t a_zero_point;
  std::size_t b;
  std::size_t b_zero_point;
};

Tensor multiply_integers(const NodeCall& call, const BatchedShape& shape,
                         ProductOperands operands) {
  const AxisLayout rows{shape.m, at_least_one(shape.k)};
  const AxisLayout columns{shape.n, 1};
  const auto a = centered(call, operands.a, zero_points(call, operands.a_zero_point), rows);
  const auto b = centered(call, operands.b, zero_points(call, operands.b_zero_point), columns);
  Tensor sums(DataType::kInt32, shape.result);
  multiply_batched(shape, std::span<const float>(a), std::span<const float>(b),
                   sums.mutable_data<std::int32_t>());
  return sums;
}

Tensors evaluate_matmul_integer(const NodeCall& call) {
  const BatchedShape shape = batched_shape(input(call, 0).shape(), input(call, 1).shape());
  return {multiply_integers(call, shape, {0, 2, 1, 3})};
}

Tensors evaluate_qlinear_matmul(const NodeCall& call) {
  const BatchedShape shape = batched_shape(input(call, 0).shape(), input(call, 3).shape());
  Tensor sums = multiply_integers(call, shape, {0, 2, 3, 5});
  add_bias_wrapping(sums.mutable_data<std::int32_t>(), elements<std::int32_t>(call, 8), 1);
  const DataType type = input(call, 7).type();
  if (input(call, 6).size() != 1) throw InputError("QLinearMatMul: only one y_scale is supported");
  const std::vector<float> a_scales = scales(call, 1);
  std::vector<float> b_scales = scales(call, 4);
  AxisLayout layout{shape.n, 1};
  if (a_scales.size() > 1) {  // a scale for each element of the result
    if (b_scales.size() == 1) b_scales.resize(static_cast<std::size_t>(shape.n), b_scales[0]);
    layout = {shape.m * shape.n, 1};
  }
  const Requantization how = requantization(call, a_scales, b_scales, scales(call, 6).at(0),
                                            zero_points(call, 7).at(0), type);
  return {requantize(call, sums.data<std::int32_t>(), how, layout, {type, sums.shape()})};
}

}  // namespace

Kernels integer_product_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kMatMulInteger, evaluate_matmul_integer},
      {Op::kQLinearMatMul, evaluate_qlinear_matmul},
  });
  return kKernels;
}

}  // namespace weft::reference
