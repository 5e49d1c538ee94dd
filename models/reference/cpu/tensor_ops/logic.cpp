// Comparisons, logic, and the choice between two tensors.
#include <functional>

#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::DataType;
using graph::NodeCall;
using graph::Op;
using graph::Tensor;

template <class Relation>
Tensor compare(const NodeCall& call, Relation relation) {
  const Tensor& x = input(call, 0);
  const Tensor& y = input(call, 1);
  check_type(y, x.type());
  return graph::with_type(x.type(), [&]<class T>(T) {
    return map_broadcast<bool, T, T>(call.outputs[0], {&x, &y},
                                     [relation](T a, T b) { return relation(widen(a), widen(b)); });
  });
}

template <class Function>
Tensor combine_bools(const NodeCall& call, Function function) {
  const Tensor& x = input(call, 0);
  const Tensor& y = input(call, 1);
  check_type(x, DataType::kBool);
  check_type(y, DataType::kBool);
  return map_broadcast<bool, bool, bool>(call.outputs[0], {&x, &y}, function);
}

Tensor negate(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  check_type(x, DataType::kBool);
  return map_elements<bool, bool>(DataType::kBool, x, std::logical_not<>{});
}

Tensor logic(const NodeCall& call) {
  switch (call.op) {
    case Op::kEqual:
      return compare(call, std::equal_to<>{});
    case Op::kLess:
      return compare(call, std::less<>{});
    case Op::kGreater:
      return compare(call, std::greater<>{});
    case Op::kAnd:
      return combine_bools(call, std::logical_and<>{});
    case Op::kOr:
      return combine_bools(call, std::logical_or<>{});
    default:
      return negate(call);
  }
}

}  // namespace

std::vector<Tensor> evaluate_logic(const NodeCall& call) {
  return {logic(call)};
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

}  // namespace weft::reference::tensor_ops
