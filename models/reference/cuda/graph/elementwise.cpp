// Element-wise operators with broadcasting.
#include <limits>

#include "base/error.h"
#include "models/reference/cpu/nn/activation.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/units.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Op;
using graph::Shape;
using reference::tensor_ops::broadcast_strides;

/// The walk over `result` for operands of these shapes.
template <class... Shapes>
Strided<sizeof...(Shapes)> broadcast_walk(const Shape& result, const Shapes&... shapes) {
  return strided<sizeof...(Shapes)>(result, {broadcast_strides(shapes, result)...});
}

BinaryFunction function_of(Op op) {
  switch (op) {
    case Op::kSub:
      return BinaryFunction::kSub;
    case Op::kMul:
      return BinaryFunction::kMul;
    case Op::kDiv:
      return BinaryFunction::kDiv;
    case Op::kMin:
      return BinaryFunction::kMin;
    case Op::kMax:
      return BinaryFunction::kMax;
    case Op::kPow:
      return BinaryFunction::kPow;
    case Op::kPRelu:
      return BinaryFunction::kPRelu;
    default:
      return BinaryFunction::kAdd;
  }
}

Relation relation_of(Op op) {
  if (op == Op::kEqual) return Relation::kEqual;
  return op == Op::kLess ? Relation::kLess : Relation::kGreater;
}

ActivationFunction unary_function(const graph::Node& node) {
  const auto parameter = [&](std::string_view name) -> std::optional<float> {
    if (!node.attributes.has(name)) return std::nullopt;
    return node.attributes.real(name, 0);
  };
  return reference::find_activation(graph::to_string(node.op), parameter("alpha"),
                                    parameter(node.op == Op::kSelu ? "gamma" : "beta"));
}

// A bound that is left out limits nothing, not even infinities.
float bound(NodeRun& node, std::size_t i, float otherwise) {
  if (!node.has(i)) return otherwise;
  if (node.count(i) != 1) throw InputError("a bound must be a scalar");
  return node.host(i).data<float>()[0];
}

// y = y / number of inputs.
void divide_by_inputs(NodeRun& node, float* y) {
  const auto divisor = static_cast<float>(node.input_count());
  const Memory scalar = node.device().allocate(sizeof divisor);
  node.device().upload(scalar.get(), &divisor, sizeof divisor);
  const Shape& shape = node.result_shape();
  node.run(Binary{BinaryFunction::kDiv, y, elements_of<float>(scalar), y,
                  broadcast_walk(shape, shape, Shape{})},
           node.result_count());
}

template <class T>
void compare(NodeRun& node) {
  const Strided<2> walk = broadcast_walk(node.result_shape(), node.shape(0), node.shape(1));
  const T* a = node.input<T>(0);
  const T* b = node.input<T>(1);
  node.run(Compare<T>{relation_of(node.node().op), a, b, node.result<bool>(), walk},
           node.result_count());
}

template <class To, class From>
void convert(NodeRun& node) {
  const From* x = node.input<From>(0);
  node.run(Convert<To, From>{x, node.result<To>()}, node.result_count());
}

}  // namespace

void run_unary(NodeRun& node) {
  const float* x = node.input<float>(0);
  node.run(Unary{unary_function(node.node()), x, node.result<float>()}, node.result_count());
}

void run_clip(NodeRun& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const ActivationFunction function{ActivationKind::kClip, bound(node, 1, -kInfinity),
                                    bound(node, 2, kInfinity)};
  const float* x = node.input<float>(0);
  node.run(Unary{function, x, node.result<float>()}, node.result_count());
}

void run_cast(NodeRun& node) {
  const DataType from = node.type(0).type;
  if (from == node.result_type()) return node.share(0, 0);
  if (from == DataType::kFloat32) return convert<bool, float>(node);
  if (from == DataType::kBool) return convert<float, bool>(node);
  if (from == DataType::kInt32) return convert<float, std::int32_t>(node);
  convert<float, std::int64_t>(node);
}

void run_fold(NodeRun& node) {
  const Shape& shape = node.result_shape();
  if (node.input_count() == 1) return node.share(0, 0);
  const float* left = node.input<float>(0);
  float* y = node.result<float>();
  const Shape* left_shape = &node.shape(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    node.run(Binary{function_of(node.node().op), left, node.input<float>(i), y,
                    broadcast_walk(shape, *left_shape, node.shape(i))},
             node.result_count());
    left = y;
    left_shape = &shape;
  }
  if (node.node().op == Op::kMean) divide_by_inputs(node, y);
}

void run_compare(NodeRun& node) {
  if (node.type(0).type == DataType::kFloat32) return compare<float>(node);
  compare<std::int64_t>(node);
}

void run_logic(NodeRun& node) {
  const Strided<2> walk = broadcast_walk(node.result_shape(), node.shape(0), node.shape(1));
  const bool* a = node.input<bool>(0);
  const bool* b = node.input<bool>(1);
  node.run(Logic{node.node().op == Op::kAnd, a, b, node.result<bool>(), walk}, node.result_count());
}

void run_not(NodeRun& node) {
  const bool* x = node.input<bool>(0);
  node.run(Not{x, node.result<bool>()}, node.result_count());
}

void run_where(NodeRun& node) {
  const Strided<3> walk =
      broadcast_walk(node.result_shape(), node.shape(0), node.shape(1), node.shape(2));
  const bool* condition = node.input<bool>(0);
  with_unit(node.type(1).type, [&]<class Unit>(Unit) {
    const Unit* a = node.input<Unit>(1);
    const Unit* b = node.input<Unit>(2);
    node.run(Where<Unit>{condition, a, b, node.result<Unit>(), walk}, node.result_count());
  });
}

}  // namespace weft::cuda
