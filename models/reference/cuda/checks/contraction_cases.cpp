#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::Op;
using graph::Shape;
using graph::Tensor;

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

// Batches of both operands broadcast to each other; sometimes one is a vector.
OperatorCase matmul(Generator& generator) {
  const std::int64_t m = between(generator, 1, 9);
  const std::int64_t k = between(generator, 1, 20);
  const std::int64_t n = between(generator, 1, 9);
  const Shape batch = random_shape(generator, between(generator, 0, 3), 3);
  const Shape other = broadcasting(generator, batch);
  const bool turned = coin(generator);
  const bool vector = between(generator, 0, 5) == 0;
  const Shape a = vector ? Shape{k} : with_matrix(turned ? other : batch, m, k);
  CaseBuilder node(Op::kMatMul);
  node.input(random_tensor(generator, a))
      .input(random_tensor(generator, with_matrix(turned ? batch : other, k, n)));
  if (coin(generator)) node.input(random_tensor(generator, {n}));
  if (coin(generator)) node.set("activation", std::string("Relu"));
  return node.depth(k + 2).build();
}

OperatorCase matmul_with_residual(Generator& generator) {
  const std::int64_t k = between(generator, 1, 9);
  return CaseBuilder(Op::kMatMul)
      .input(random_tensor(generator, {2, 3, k}))
      .input(random_tensor(generator, {2, k, 4}))
      .none()
      .input(random_tensor(generator, {2, 3, 4}))
      .set("activation", std::string("Clip"))
      .set("activation_alpha", -0.5F)
      .set("activation_beta", 0.75F)
      .depth(k + 2)
      .build();
}

/// Operands of at most 2^-14, which fp16 rounds to multiples of 2^-24.
OperatorCase matmul_of_small_operands(Generator& generator) {
  const std::int64_t k = between(generator, 1, 20);
  const auto small = [&](const Shape& shape) {
    Tensor tensor = random_tensor(generator, shape);
    for (float& element : tensor.mutable_data<float>()) element /= 1 << 14;
    return tensor;
  };
  return CaseBuilder(Op::kMatMul).input(small({5, k})).input(small({k, 4})).depth(k + 2).build();
}

OperatorCase gemm(Generator& generator) {
  const std::int64_t m = between(generator, 1, 9);
  const std::int64_t k = between(generator, 1, 20);
  const std::int64_t n = between(generator, 1, 9);
  const bool transpose_a = coin(generator);
  const bool transpose_b = coin(generator);
  CaseBuilder node(Op::kGemm);
  node.input(random_tensor(generator, transpose_a ? Shape{k, m} : Shape{m, k}))
      .input(random_tensor(generator, transpose_b ? Shape{n, k} : Shape{k, n}))
      .set("transA", std::int64_t{transpose_a})
      .set("transB", std::int64_t{transpose_b});
  if (coin(generator)) node.set("alpha", 0.75F);
  if (coin(generator)) {
    node.input(random_tensor(generator, broadcasting(generator, {m, n})));
    if (coin(generator)) node.set("beta", -0.5F);
  }
  return node.depth(k + 3).build();
}

}  // namespace

std::vector<OperatorCase> contraction_cases(Generator& generator) {
  std::vector<OperatorCase> cases;
  cases.push_back(matmul(generator));
  cases.push_back(matmul_with_residual(generator));
  cases.push_back(matmul_of_small_operands(generator));
  cases.push_back(gemm(generator));
  return cases;
}

}  // namespace weft::cuda
