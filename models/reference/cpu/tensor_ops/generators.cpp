// Operators that make elements from shapes and scalars: Shape, ConstantOfShape and Range.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "compiler/graph/shapes/slice.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/integers.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::DataType;
using graph::NodeCall;
using graph::Tensor;
using graph::ValueType;

// start + i * delta, computed in T.
template <class T>
T nth(T start, T delta, std::int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping(start, wrapping(delta, static_cast<T>(i), std::multiplies<>{}), std::plus<>{});
  } else {
    return start + static_cast<T>(i) * delta;
  }
}

const Tensor& scalar_input(const NodeCall& call, std::size_t i, DataType type) {
  const Tensor& tensor = input(call, i);
  check_type(tensor, type);
  if (tensor.size() != 1) throw InputError(fmt::format("input {} must be a scalar", i));
  return tensor;
}

std::vector<Tensor> evaluate_shape(const NodeCall& call) {
  const graph::Shape& shape = input(call, 0).shape();
  const auto [begin, end] = graph::shape_range(call.attributes, input(call, 0).rank());
  return {Tensor::vector<std::int64_t>({shape.begin() + begin, shape.begin() + end})};
}

std::vector<Tensor> evaluate_constant_of_shape(const NodeCall& call) {
  const Tensor* value = call.attributes.tensor("value");
  Tensor result(call.outputs[0]);
  if (value == nullptr) return {result};
  if (value->size() != 1) throw InputError("attribute value: must have one element");
  const Tensor element = convert_tensor(*value, result.type());
  graph::with_type(result.type(), [&]<class T>(T) {
    std::ranges::fill(result.mutable_data<T>(), element.data<T>()[0]);
  });
  return {result};
}

std::vector<Tensor> evaluate_range(const NodeCall& call) {
  const ValueType& type = call.outputs[0];
  return {with_numbers(type.type, [&]<class T>(T) {
    const Compute<T> start = widen(scalar_input(call, 0, type.type).data<T>()[0]);
    const Compute<T> delta = widen(scalar_input(call, 2, type.type).data<T>()[0]);
    Tensor result(type);
    const std::span<T> out = result.mutable_data<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = narrow<T>(nth(start, delta, static_cast<std::int64_t>(i)));
    }
    return result;
  })};
}

}  // namespace

Kernels generator_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kShape, evaluate_shape},
      {Op::kConstantOfShape, evaluate_constant_of_shape},
      {Op::kRange, evaluate_range},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
