#include "compiler/onnx/codec/composite/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "pe/float_formats.h"

namespace weft::onnx_io {

using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

template <class T>
T number_as(double value) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return {to_fp16(static_cast<float>(value)).bits};
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace

void require_list_length(std::int64_t count) {
  if (count <= kLongestList) return;
  throw InputError(
      fmt::format("an extent of {} is too large, at most {} is supported", count, kLongestList));
}

Assembly::Assembly(const ::onnx::NodeProto& node, std::vector<ValueId> inputs, int opset,
                   graph::Builder& builder)
    : node_(node),
      inputs_(std::move(inputs)),
      opset_(opset),
      builder_(builder),
      attributes_(read_attributes(node)) {}

ValueId Assembly::input(std::size_t i) const {
  if (!has(i)) throw InputError(fmt::format("input {} is missing", i));
  return inputs_[i];
}

const Tensor& Assembly::known(std::size_t i, std::string_view name) const {
  const graph::Value& value = builder_.graph().values[input(i)];
  const Tensor* const known = value.constant ? value.constant->ready() : nullptr;
  if (known != nullptr) return *known;
  throw InputError(fmt::format(
      "input {} ({}): its elements must be constant; give them with --input NAME=FILE", i, name));
}

std::int64_t Assembly::rank(ValueId value) const {
  return graph::rank_of(shape(value));
}

ValueId Assembly::add(Op op, std::vector<ValueId> inputs, graph::Attributes attributes) {
  std::string name = fmt::format("{}/{}", node_name(node_), to_string(op));
  const int before = used_[name]++;
  if (before > 0) name += fmt::format("_{}", before);
  return builder_.add(op, std::move(inputs), std::move(attributes), std::move(name));
}

ValueId Assembly::constant(Tensor tensor) {
  return builder_.constant(std::move(tensor), node_name(node_) + "/constant");
}

ValueId Assembly::counting(const Shape& shape, std::int64_t first) {
  require_list_length(graph::element_count(shape));
  Tensor tensor(graph::DataType::kInt64, shape);
  const auto data = tensor.mutable_data<std::int64_t>();
  std::iota(data.begin(), data.end(), first);
  return constant(std::move(tensor));
}

ValueId Assembly::number(double value, graph::DataType type) {
  return constant(
      graph::with_type(type, [&]<class T>(T) { return Tensor::scalar<T>(number_as<T>(value)); }));
}

ValueId Assembly::reshape(ValueId value, const Shape& shape) {
  if (this->shape(value) == shape) return value;
  graph::Attributes attributes;
  // Otherwise an extent of 0 would mean the extent of the input.
  if (std::ranges::find(shape, 0) != shape.end()) attributes.set("allowzero", std::int64_t{1});
  return add(Op::kReshape, {value, constant(Tensor::vector(shape))}, std::move(attributes));
}

ValueId Assembly::transpose(ValueId value, const std::vector<std::int64_t>& perm) {
  if (std::ranges::is_sorted(perm)) return value;
  return add(Op::kTranspose, {value}, {{"perm", perm}});
}

ValueId Assembly::cast(ValueId value, graph::DataType type) {
  if (this->type(value) == type) return value;
  return add(Op::kCast, {value}, {{"to", static_cast<std::int64_t>(onnx_data_type(type))}});
}

ValueId Assembly::sum(ValueId value, const std::vector<std::int64_t>& axes, bool keep) {
  if (axes.empty()) return value;
  return add(Op::kReduceSum, {value, constant(Tensor::vector(axes))},
             {{"keepdims", std::int64_t{keep ? 1 : 0}}});
}

ValueId Assembly::slice(ValueId value, std::int64_t axis, std::int64_t start, std::int64_t end,
                        std::int64_t step) {
  if (start == 0 && step == 1 && end == shape(value)[static_cast<std::size_t>(axis)]) return value;
  const auto list = [&](std::int64_t number) { return constant(Tensor::vector(Shape{number})); };
  return add(Op::kSlice, {value, list(start), list(end), list(axis), list(step)});
}

}  // namespace weft::onnx_io
