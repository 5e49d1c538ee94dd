#include "compiler/autodiff/emitter.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "compiler/passes/rewrite/constants.h"

namespace weft::autodiff {

using graph::Tensor;

Ints iota(std::int64_t count, std::int64_t first) {
  Ints values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

ValueId Emitter::add(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  std::string name = prefix_;
  name.append("/").append(to_string(op));
  return builder_.add(op, std::move(inputs), std::move(attributes), std::move(name));
}

std::vector<ValueId> Emitter::add_outputs(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                          std::size_t count) {
  std::string name = prefix_;
  name.append("/").append(to_string(op));
  const std::vector<std::string> outputs(count, name);
  return builder_.add(op, std::move(inputs), std::move(attributes), name, outputs);
}

ValueId Emitter::constant(graph::Constant constant, const std::string& what) {
  return builder_.constant(std::move(constant), prefix_ + "/" + what);
}

ValueId Emitter::number(ValueId like, double value) {
  const graph::ValueType type{builder_.type(like).type, {}};
  return constant(passes::real_tensor(type, std::array{value}), "number");
}

ValueId Emitter::list(const Ints& values) {
  return constant(Tensor::vector(values), "list");
}

ValueId Emitter::scaled(ValueId value, double factor) {
  return factor == 1 ? value : mul(value, number(value, factor));
}

ValueId Emitter::divided(ValueId value, double divisor) {
  return divisor == 1 ? value : add(Op::kDiv, {value, number(value, divisor)});
}

ValueId Emitter::zeros(const graph::ValueType& type) {
  return constant({type, [type] { return Tensor(type); }}, "zeros");
}

ValueId Emitter::cast_like(ValueId value, ValueId like) {
  if (type(value) == type(like)) return value;
  constexpr std::int64_t kFloat = 1, kFloat16 = 10, kDouble = 11;  // TensorProto.DataType
  const bool is_half = type(like) == graph::DataType::kFloat16;
  const bool is_double = type(like) == graph::DataType::kFloat64;
  return add(Op::kCast, {value}, {{"to", is_half ? kFloat16 : is_double ? kDouble : kFloat}});
}

ValueId Emitter::reshape(ValueId value, const Shape& shape) {
  if (this->shape(value) == shape) return value;
  return add(Op::kReshape, {value, list(shape)}, {{"allowzero", std::int64_t{1}}});
}

ValueId Emitter::transpose(ValueId value, const Ints& perm) {
  if (perm == iota(rank(value))) return value;
  return add(Op::kTranspose, {value}, {{"perm", perm}});
}

ValueId Emitter::swapped(ValueId value) {
  Ints perm = iota(rank(value));
  std::iter_swap(perm.end() - 1, perm.end() - 2);
  return transpose(value, perm);
}

ValueId Emitter::reduce_sum(ValueId value, const Ints& axes, bool keep) {
  if (axes.empty()) return value;
  return add(Op::kReduceSum, {value, list(axes)}, {{"keepdims", std::int64_t{keep ? 1 : 0}}});
}

ValueId Emitter::reduce_mean(ValueId value, const Ints& axes) {
  if (axes.empty()) return value;
  return add(Op::kReduceMean, {value}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

ValueId Emitter::expand(ValueId value, const Shape& shape) {
  return this->shape(value) == shape ? value : add(Op::kExpand, {value, list(shape)});
}

ValueId Emitter::slice(ValueId value, std::int64_t axis, std::int64_t start, std::int64_t length) {
  const std::int64_t extent = shape(value)[static_cast<std::size_t>(axis)];
  if (start == 0 && length == extent) return value;
  return add(Op::kSlice, {value, list({start}), list({start + length}), list({axis})});
}

ValueId Emitter::pad(ValueId value, const Ints& pads, double fill) {
  if (std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; })) return value;
  return add(Op::kPad, {value, list(pads), number(value, fill)});
}

ValueId Emitter::reduce_to(ValueId value, const Shape& target) {
  const Shape from = shape(value);
  const std::size_t lead = from.size() - target.size();
  Ints axes = iota(static_cast<std::int64_t>(lead));
  for (std::size_t i = lead; i < from.size(); ++i) {
    if (target[i - lead] != from[i]) axes.push_back(static_cast<std::int64_t>(i));
  }
  const bool keep = axes.size() > lead;
  return reshape(reduce_sum(value, axes, keep), target);
}

}  // namespace weft::autodiff
