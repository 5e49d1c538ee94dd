// Element-wise operators with broadcasting.
#include <limits>

#include "base/error.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/units.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Shape;
using reference::tensor_ops::broadcast_strides;

/// The walk over `result` for operands of these shapes.
template <class... Shapes>
Strided<sizeof...(Shapes)> broadcast_walk(const Shape& result, const Shapes&... shapes) {
  return strided<sizeof...(Shapes)>(result, {broadcast_strides(shapes, result)...});
}

bool takes_comparable(const Graph& graph, const Node& node) {
  return takes_floats(graph, node) || takes_inputs(graph, node, DataType::kInt64);
}

bool takes_cast(const Graph& graph, const Node& node) {
  const DataType from = graph.type(node.inputs[0]).type;
  const DataType to = graph.type(node.outputs[0]).type;
  if (from == to) return true;
  if (to == DataType::kBool) return from == DataType::kFloat32;
  return to == DataType::kFloat32 &&
         (from == DataType::kBool || from == DataType::kInt32 || from == DataType::kInt64);
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

template <Relation relation, class T>
void compare(NodeRun& node) {
  const Strided<2> walk = broadcast_walk(node.result_shape(), node.shape(0), node.shape(1));
  const T* a = node.input<T>(0);
  const T* b = node.input<T>(1);
  node.run(Compare<T>{relation, a, b, node.result<bool>(), walk}, node.result_count());
}

template <class To, class From>
void convert(NodeRun& node) {
  const From* x = node.input<From>(0);
  node.run(Convert<To, From>{x, node.result<To>()}, node.result_count());
}

template <ActivationKind kind>
void run_unary(NodeRun& node) {
  const auto [alpha, beta] = graph::parameters_of(node.node().op, node.attributes());
  const float* x = node.input<float>(0);
  node.run(Unary{{kind, alpha, beta}, x, node.result<float>()}, node.result_count());
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

/// Combines the inputs from left to right. Returns the result; null if it is the only input.
template <BinaryFunction function>
float* folded(NodeRun& node) {
  const Shape& shape = node.result_shape();
  if (node.input_count() == 1) {
    node.share(0, 0);
    return nullptr;
  }
  const float* left = node.input<float>(0);
  float* y = node.result<float>();
  const Shape* left_shape = &node.shape(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    node.run(Binary{function, left, node.input<float>(i), y,
                    broadcast_walk(shape, *left_shape, node.shape(i))},
             node.result_count());
    left = y;
    left_shape = &shape;
  }
  return y;
}

template <BinaryFunction function>
void run_fold(NodeRun& node) {
  folded<function>(node);
}

void run_mean(NodeRun& node) {
  if (float* y = folded<BinaryFunction::kAdd>(node)) divide_by_inputs(node, y);
}

template <Relation relation>
void run_compare(NodeRun& node) {
  if (node.type(0).type == DataType::kFloat32) return compare<relation, float>(node);
  compare<relation, std::int64_t>(node);
}

template <LogicFunction function>
void run_logic(NodeRun& node) {
  const Strided<2> walk = broadcast_walk(node.result_shape(), node.shape(0), node.shape(1));
  const bool* a = node.input<bool>(0);
  const bool* b = node.input<bool>(1);
  node.run(Logic{function, a, b, node.result<bool>(), walk}, node.result_count());
}

void run_is_nan(NodeRun& node) {
  const float* x = node.input<float>(0);
  node.run(Classify{true, false, false, x, node.result<bool>()}, node.result_count());
}

void run_is_inf(NodeRun& node) {
  const bool negative = node.attributes().integer("detect_negative", 1) != 0;
  const bool positive = node.attributes().integer("detect_positive", 1) != 0;
  const float* x = node.input<float>(0);
  node.run(Classify{false, negative, positive, x, node.result<bool>()}, node.result_count());
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

}  // namespace

DeviceOperators elementwise_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kRelu, {{takes_floats, run_unary<ActivationKind::kRelu>, kBits}}},
      {Op::kLeakyRelu, {{takes_floats, run_unary<ActivationKind::kLeakyRelu>, kBits}}},
      {Op::kElu, {{takes_floats, run_unary<ActivationKind::kElu>, kLastPlace}}},
      {Op::kSelu, {{takes_floats, run_unary<ActivationKind::kSelu>, kLastPlace}}},
      {Op::kSigmoid, {{takes_floats, run_unary<ActivationKind::kSigmoid>, kLastPlace}}},
      {Op::kHardSigmoid, {{takes_floats, run_unary<ActivationKind::kHardSigmoid>, kBits}}},
      {Op::kHardSwish, {{takes_floats, run_unary<ActivationKind::kHardSwish>, kBits}}},
      {Op::kTanh, {{takes_floats, run_unary<ActivationKind::kTanh>, kLastPlace}}},
      {Op::kErf, {{takes_floats, run_unary<ActivationKind::kErf>, kLastPlace}}},
      {Op::kSoftplus, {{takes_floats, run_unary<ActivationKind::kSoftplus>, kLastPlace}}},
      {Op::kClip, {{takes_floats, run_clip, kBits}}},
      {Op::kSqrt, {{takes_floats, run_unary<ActivationKind::kSqrt>, kBits}}},
      {Op::kExp, {{takes_floats, run_unary<ActivationKind::kExp>, kLastPlace}}},
      {Op::kLog, {{takes_floats, run_unary<ActivationKind::kLog>, kLastPlace}}},
      {Op::kNeg, {{takes_floats, run_unary<ActivationKind::kNeg>, kBits}}},
      {Op::kAbs, {{takes_floats, run_unary<ActivationKind::kAbs>, kBits}}},
      {Op::kReciprocal, {{takes_floats, run_unary<ActivationKind::kReciprocal>, kBits}}},
      {Op::kSin, {{takes_floats, run_unary<ActivationKind::kSin>, kLastPlace}}},
      {Op::kCos, {{takes_floats, run_unary<ActivationKind::kCos>, kLastPlace}}},
      {Op::kRound, {{takes_floats, run_unary<ActivationKind::kRound>, kBits}}},
      {Op::kFloor, {{takes_floats, run_unary<ActivationKind::kFloor>, kBits}}},
      {Op::kCeil, {{takes_floats, run_unary<ActivationKind::kCeil>, kBits}}},
      {Op::kSign, {{takes_floats, run_unary<ActivationKind::kSign>, kBits}}},
      {Op::kNot, {{takes_bools, run_not, kBits}}},
      {Op::kCast, {{takes_cast, run_cast, kBits}}},
      {Op::kAdd, {{takes_floats, run_fold<BinaryFunction::kAdd>, kBits}}},
      {Op::kSub, {{takes_floats, run_fold<BinaryFunction::kSub>, kBits}}},
      {Op::kMul, {{takes_floats, run_fold<BinaryFunction::kMul>, kBits}}},
      {Op::kDiv, {{takes_floats, run_fold<BinaryFunction::kDiv>, kBits}}},
      {Op::kMod, {{takes_floats, run_fold<BinaryFunction::kMod>, kBits}}},
      {Op::kPow, {{takes_floats, run_fold<BinaryFunction::kPow>, kLastPlace}}},
      {Op::kPRelu, {{takes_floats, run_fold<BinaryFunction::kPRelu>, kBits}}},
      {Op::kMin, {{takes_floats, run_fold<BinaryFunction::kMin>, kBits}}},
      {Op::kMax, {{takes_floats, run_fold<BinaryFunction::kMax>, kBits}}},
      {Op::kMean, {{takes_floats, run_mean, kBits}}},
      {Op::kSum, {{takes_floats, run_fold<BinaryFunction::kAdd>, kBits}}},
      {Op::kWhere, {{takes_any, run_where, kBits}}},
      {Op::kEqual, {{takes_comparable, run_compare<Relation::kEqual>, kBits}}},
      {Op::kLess, {{takes_comparable, run_compare<Relation::kLess>, kBits}}},
      {Op::kGreater, {{takes_comparable, run_compare<Relation::kGreater>, kBits}}},
      {Op::kAnd, {{takes_bools, run_logic<LogicFunction::kAnd>, kBits}}},
      {Op::kOr, {{takes_bools, run_logic<LogicFunction::kOr>, kBits}}},
      {Op::kXor, {{takes_bools, run_logic<LogicFunction::kXor>, kBits}}},
      {Op::kIsNan, {{takes_floats, run_is_nan, kBits}}},
      {Op::kIsInf, {{takes_floats, run_is_inf, kBits}}},
  });
  return kOperators;
}

}  // namespace weft::cuda
