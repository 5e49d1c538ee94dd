// Comparisons, logic, and the choice between two tensors.
#include <cmath>
#include <functional>

#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::DataType;
using graph::NodeCall;
using graph::Tensor;

template <class Relation>
std::vector<Tensor> compare(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Tensor& y = input(call, 1);
  check_type(y, x.type());
  return {graph::with_type(x.type(), [&]<class T>(T) {
    return map_broadcast<bool, T, T>(call.outputs[0], {&x, &y},
                                     [](T a, T b) { return Relation{}(widen(a), widen(b)); });
  })};
}

template <class Function>
std::vector<Tensor> combine_bools(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Tensor& y = input(call, 1);
  check_type(x, DataType::kBool);
  check_type(y, DataType::kBool);
  return {map_broadcast<bool, bool, bool>(call.outputs[0], {&x, &y}, Function{})};
}

std::vector<Tensor> negate(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  check_type(x, DataType::kBool);
  return {map_elements<bool, bool>(DataType::kBool, x, std::logical_not<>{})};
}

/// Truth values of function(x) for floats of any type.
template <class Function>
std::vector<Tensor> classify(const NodeCall& call, Function function) {
  const Tensor& x = input(call, 0);
  return {with_floats(x.type(), [&]<class T>(T) {
    return map_elements<bool, T>(DataType::kBool, x,
                                 [function](T element) { return function(widen(element)); });
  })};
}

std::vector<Tensor> evaluate_is_nan(const NodeCall& call) {
  return classify(call, [](auto x) { return std::isnan(x); });
}

std::vector<Tensor> evaluate_is_inf(const NodeCall& call) {
  const bool negative = call.attributes.integer("detect_negative", 1) != 0;
  const bool positive = call.attributes.integer("detect_positive", 1) != 0;
  return classify(call, [=](auto x) { return std::isinf(x) && (x < 0 ? negative : positive); });
}

std::vector<Tensor> evaluate_where(const NodeCall& call) {
  const Tensor& condition = input(call, 0);
  const Tensor& x = input(call, 1);
  const Tensor& y = input(call, 2);
  check_type(condition, DataType::kBool);
  check_type(y, x.type());
  return {graph::with_type(x.type(), [&]<class T>(T) {
    return map_broadcast<T, bool, T, T>(call.outputs[0], {&condition, &x, &y},
                                        [](bool take_x, T a, T b) { return take_x ? a : b; });
  })};
}

}  // namespace

Kernels logic_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kEqual, compare<std::equal_to<>>},
      {Op::kLess, compare<std::less<>>},
      {Op::kGreater, compare<std::greater<>>},
      {Op::kAnd, combine_bools<std::logical_and<>>},
      {Op::kOr, combine_bools<std::logical_or<>>},
      {Op::kXor, combine_bools<std::not_equal_to<>>},
      {Op::kNot, negate},
      {Op::kIsNan, evaluate_is_nan},
      {Op::kIsInf, evaluate_is_inf},
      {Op::kWhere, evaluate_where},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
