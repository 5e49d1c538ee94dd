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
      {Op::kNot, negate},
      {Op::kWhere, evaluate_where},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
