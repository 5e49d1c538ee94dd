// ScatterElements and ScatterND: a copy of the data in which updates replace elements or combine
// with them, in the order of the updates. So of two updates of one element, the later one replaces
// the earlier one. Each combination is rounded to the element's type.
#include <algorithm>
#include <functional>
#include <type_traits>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/extrema.h"
#include "models/reference/cpu/tensor_ops/indexed/index_runs.h"
#include "models/reference/cpu/tensor_ops/integers.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/raw.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

template <class T, class Operation>
T arithmetic(T x, T y, Operation operation) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping(x, y, operation);
  } else {
    return operation(x, y);
  }
}

template <class T>
T combined(ScatterFunction function, T x, T y) {
  switch (function) {
    case ScatterFunction::kReplace:
      return y;
    case ScatterFunction::kAdd:
      return arithmetic(x, y, std::plus<>{});
    case ScatterFunction::kMul:
      return arithmetic(x, y, std::multiplies<>{});
    case ScatterFunction::kMax:
      return Larger{}(x, y);
    case ScatterFunction::kMin:
      return Smaller{}(x, y);
  }
  return y;
}

void replace(const Tensor& updates, const IndexRuns& runs, Tensor& result) {
  with_raw(result.type(), [&]<class R>(R) {
    const R* from = raw_data<R>(updates);
    R* out = mutable_raw_data<R>(result);
    for (const std::int64_t start : runs.starts) {
      std::copy_n(from, runs.length, out + start);
      from += runs.length;
    }
  });
}

Tensor combine(ScatterFunction function, const Tensor& updates, const IndexRuns& runs,
               Tensor result) {
  return with_numbers(result.type(), [&]<class T>(T) {
    const T* from = updates.data<T>().data();
    T* out = result.mutable_data<T>().data();
    for (const std::int64_t start : runs.starts) {
      for (std::int64_t i = 0; i < runs.length; ++i) {
        out[start + i] = narrow<T>(combined(function, widen(out[start + i]), widen(from[i])));
      }
      from += runs.length;
    }
    return result;
  });
}

std::vector<Tensor> scattered(const NodeCall& call, const IndexRuns& runs) {
  Tensor result = input(call, 0);
  const Tensor& updates = input(call, 2);
  check_type(updates, result.type());
  const ScatterFunction function = scatter_function(call.attributes);
  if (function != ScatterFunction::kReplace) return {combine(function, updates, runs, result)};
  replace(updates, runs, result);
  return {std::move(result)};
}

std::vector<Tensor> evaluate_scatter_elements(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  return scattered(call, element_runs(input(call, 1), x.shape(), axis_of(call, 0, x.rank())));
}

std::vector<Tensor> evaluate_scatter_nd(const NodeCall& call) {
  return scattered(call, tuple_runs(input(call, 1), input(call, 0).shape(), 0));
}

}  // namespace

Kernels scatter_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kScatterElements, evaluate_scatter_elements},
      {Op::kScatterNd, evaluate_scatter_nd},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
