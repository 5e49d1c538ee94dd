#include "compiler/schedule/product/product_graph.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"

namespace weft::compiler {
namespace {

using graph::DataType;
using graph::Op;
using graph::ValueId;

std::int64_t extent_of(std::uint64_t size, char name) {
  if (size == 0)
    throw InputError(fmt::format("matmul: {} is 0; M, K and N must be at least 1", name));
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw InputError(fmt::format("matmul: {} = {} is too large; use a smaller one", name, size));
  }
  return static_cast<std::int64_t>(size);
}

graph::Constant zeros(DataType type, const graph::Shape& shape) {
  return {{type, shape}, [type, shape] { return graph::Tensor(type, shape); }};
}

}  // namespace

graph::Graph product_graph(const MatmulSpec& spec, ElementType dtype) {
  const std::int64_t m = extent_of(spec.m, 'M');
  const std::int64_t k = extent_of(spec.k, 'K');
  const std::int64_t n = extent_of(spec.n, 'N');
  const bool integers = dtype == ElementType::kInt8;
  const DataType type = integers ? DataType::kInt8 : DataType::kFloat32;
  const DataType sums = integers ? DataType::kInt32 : DataType::kFloat32;
  graph::Builder builder("product");
  const ValueId a = builder.input("a", {type, {m, k}});
  const ValueId b = builder.constant(zeros(type, {k, n}), "b");
  ValueId result = builder.add(integers ? Op::kMatMulInteger : Op::kMatMul, {a, b}, {}, "product");
  if (spec.bias) {
    result = builder.add(Op::kAdd, {result, builder.constant(zeros(sums, {n}), "bias")});
  }
  if (spec.activation == Activation::kRelu) result = builder.add(Op::kRelu, {result});
  if (spec.activation == Activation::kRelu6) {
    const auto bound = [&](int value) {
      return builder.constant(integers ? graph::Tensor::scalar(std::int32_t{value})
                                       : graph::Tensor::scalar(static_cast<float>(value)));
    };
    result = builder.add(Op::kClip, {result, bound(0), bound(6)});
  }
  builder.output(result, "out");
  return builder.finish();
}

}  // namespace weft::compiler
