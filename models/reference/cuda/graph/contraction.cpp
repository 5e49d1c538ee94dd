// MatMul and Gemm.
#include "models/reference/cpu/nn/contraction/batched_product.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cuda/graph/epilogue.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {
namespace {

using graph::Shape;
using reference::BatchedShape;
using reference::tensor_ops::broadcast_strides;

// `operand` advanced by `elements` elements.
const void* advanced(const void* operand, MatmulType type, std::int64_t elements) {
  return static_cast<const char*>(operand) + elements * operand_bytes(type);
}

/// Runs one product per batch, for operands that are not at equal distances.
void multiply_each(NodeRun& node, const BatchedShape& shape, DeviceProduct product) {
  Shape a_strides = broadcast_strides(shape.a_batch, shape.batch);
  Shape b_strides = broadcast_strides(shape.b_batch, shape.batch);
  for (std::int64_t& stride : a_strides) stride *= shape.m * shape.k;
  for (std::int64_t& stride : b_strides) stride *= shape.k * shape.n;
  const Strided<2> walk = strided<2>(shape.batch, {a_strides, b_strides});
  const DeviceProduct whole = product;
  for (std::int64_t batch = 0; batch < graph::element_count(shape.batch); ++batch) {
    const Offsets<2> at = walk.at(batch);
    product.a = advanced(whole.a, product.type, at[0]);
    product.b = advanced(whole.b, product.type, at[1]);
    product.c = static_cast<float*>(whole.c) + batch * shape.m * shape.n;
    multiply(node.device(), product);
  }
}

void multiply_batches(NodeRun& node, const BatchedShape& shape, DeviceProduct product) {
  const std::int64_t batches = graph::element_count(shape.batch);
  const std::int64_t a_batches = graph::element_count(shape.a_batch);
  const std::int64_t b_batches = graph::element_count(shape.b_batch);
  if (b_batches == 1 && a_batches == batches) {  // the batches of A are rows of one matrix
    product.m = batches * shape.m;
    return multiply(node.device(), product);
  }
  const bool equal_distances = (a_batches == 1 || a_batches == batches) && b_batches == batches;
  if (!equal_distances) return multiply_each(node, shape, product);
  product.batches = batches;
  product.stride_a = a_batches == 1 ? 0 : shape.m * shape.k;
  product.stride_b = shape.k * shape.n;
  product.stride_c = shape.m * shape.n;
  multiply(node.device(), product);
}

DeviceProduct product_of(NodeRun& node, const ProductOperand& a, const ProductOperand& b,
                         float* c) {
  DeviceProduct product = {};
  product.type = node.matmul();
  product.a = a.data;
  product.b = b.data;
  product.c = c;
  return product;
}

void run_matmul(NodeRun& node) {
  const BatchedShape shape = reference::batched_shape(node.shape(0), node.shape(1));
  const ProductOperand a =
      as_operand(node.device(), node.matmul(), node.input<float>(0), node.count(0));
  const ProductOperand b =
      as_operand(node.device(), node.matmul(), node.input<float>(1), node.count(1));
  float* y = node.result<float>();
  DeviceProduct product = product_of(node, a, b, y);
  product.m = shape.m;
  product.k = shape.k;
  product.n = shape.n;
  multiply_batches(node, shape, product);
  ContractionEpilogue epilogue = epilogue_of(node, y);
  if (node.has(2)) {
    epilogue.inner = node.count(2);
    epilogue.col_stride = 1;
  }
  finish(node, epilogue);
}

void run_gemm(NodeRun& node) {
  const ProductOperand a =
      as_operand(node.device(), node.matmul(), node.input<float>(0), node.count(0));
  const ProductOperand b =
      as_operand(node.device(), node.matmul(), node.input<float>(1), node.count(1));
  float* y = node.result<float>();
  DeviceProduct product = product_of(node, a, b, y);
  product.transpose_a = node.attributes().integer("transA", 0) != 0;
  product.transpose_b = node.attributes().integer("transB", 0) != 0;
  product.m = node.result_shape()[0];
  product.k = node.shape(0)[product.transpose_a ? 0 : 1];
  product.n = node.result_shape()[1];
  multiply(node.device(), product);
  ContractionEpilogue epilogue = epilogue_of(node, y);
  epilogue.alpha = node.attributes().real("alpha", 1.0F);
  epilogue.beta = node.attributes().real("beta", 1.0F);
  if (node.has(2)) {
    const Shape strides = broadcast_strides(node.shape(2), node.result_shape());
    epilogue.inner = product.n;
    epilogue.rows = product.m;
    epilogue.row_stride = strides[0];
    epilogue.col_stride = strides[1];
  }
  finish(node, epilogue);
}

}  // namespace

DeviceOperators product_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kMatMul, {{takes_floats, run_matmul, kProduct}}},
      {Op::kGemm, {{takes_floats, run_gemm, kProduct}}},
      DeviceEntry::none(Op::kMatMulInteger, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kQLinearMatMul, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kQuantizeLinear, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kDequantizeLinear, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kDynamicQuantizeLinear, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kLstm, "only the CPU reference computes recurrences"),
      DeviceEntry::none(Op::kGru, "only the CPU reference computes recurrences"),
      DeviceEntry::none(Op::kRnn, "only the CPU reference computes recurrences"),
  });
  return kOperators;
}

}  // namespace weft::cuda
