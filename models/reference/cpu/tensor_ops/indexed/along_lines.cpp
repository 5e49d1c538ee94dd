// Operators that work on each line of elements along an axis.
//
// CumSum adds floats in binary64 in the order of the elements and rounds each partial sum once;
// integers wrap. TopK orders elements so that a NaN is larger than every number, and of equal
// elements the first one comes first. Its results are always sorted, which ONNX allows.
#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/extrema.h"
#include "models/reference/cpu/tensor_ops/integers.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

/// Calls visit(first) with the position of each line's first element. Its next elements are
/// view.inner apart.
template <class Visit>
void for_each_line(const AxisView& view, Visit visit) {
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t i = 0; i < view.inner; ++i) visit(outer * view.extent * view.inner + i);
  }
}

// Floats are summed in binary64, integers in int64.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <class T>
Sum<T> added(Sum<T> total, T element) {
  const auto term = convert<Sum<T>>(element);
  if constexpr (std::is_integral_v<T>) {
    return wrapping(total, term, std::plus<>{});
  } else {
    return total + term;
  }
}

struct ScanOrder {
  bool exclusive = false;  // a sum leaves out its own element
  bool reverse = false;    // from the last element to the first
};

template <class T>
void sum_up(const T* x, const AxisView& view, ScanOrder order, T* y) {
  const std::int64_t step = order.reverse ? -view.inner : view.inner;
  for_each_line(view, [&](std::int64_t first) {
    std::int64_t at = order.reverse ? first + (view.extent - 1) * view.inner : first;
    Sum<T> total = 0;
    for (std::int64_t k = 0; k < view.extent; ++k, at += step) {
      const Sum<T> before = total;
      total = added(total, x[at]);
      y[at] = convert<T>(order.exclusive ? before : total);
    }
  });
}

std::vector<Tensor> evaluate_cum_sum(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const std::vector<std::int64_t> axis = graph::to_int64(input(call, 1));
  if (axis.size() != 1) throw InputError("input 1 (axis) must be a scalar");
  const AxisView view = view_along(x.shape(), graph::normalized_axis(axis.front(), x.rank()));
  const ScanOrder order{call.attributes.integer("exclusive", 0) != 0,
                        call.attributes.integer("reverse", 0) != 0};
  return {with_numbers(x.type(), [&]<class T>(T) {
    Tensor result(x.value_type());
    sum_up(x.data<T>().data(), view, order, result.mutable_data<T>().data());
    return result;
  })};
}

/// Puts the numbers of the first `count` elements of a line in front of `order`, sorted.
template <class T>
void rank_line(const T* line, std::int64_t stride, std::int64_t count, bool largest,
               std::vector<std::int64_t>& order) {
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const auto x = widen(line[a * stride]);
    const auto y = widen(line[b * stride]);
    if (above(x, y)) return largest;
    if (above(y, x)) return !largest;
    return a < b;
  };
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
}

std::vector<Tensor> evaluate_top_k(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const AxisView view = view_along(x.shape(), axis_of(call, -1, x.rank()));
  const bool largest = call.attributes.integer("largest", 1) != 0;
  Tensor indices(graph::DataType::kInt64, call.outputs[0].shape);
  const AxisView taken = view_along(indices.shape(), axis_of(call, -1, x.rank()));
  std::int64_t* places = indices.mutable_data<std::int64_t>().data();
  Tensor values = with_numbers(x.type(), [&]<class T>(T) {
    Tensor result(call.outputs[0]);
    const T* in = x.data<T>().data();
    T* out = result.mutable_data<T>().data();
    std::vector<std::int64_t> order(static_cast<std::size_t>(view.extent));
    std::int64_t line = 0;
    for_each_line(taken, [&](std::int64_t first) {
      const std::int64_t outer = line / view.inner;
      const T* from = in + outer * view.extent * view.inner + line++ % view.inner;
      rank_line(from, view.inner, taken.extent, largest, order);
      for (std::int64_t k = 0; k < taken.extent; ++k) {
        const std::int64_t place = order[static_cast<std::size_t>(k)];
        places[first + k * taken.inner] = place;
        out[first + k * taken.inner] = from[place * view.inner];
      }
    });
    return result;
  });
  return {std::move(values), std::move(indices)};
}

}  // namespace

Kernels line_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kCumSum, evaluate_cum_sum},
      {Op::kTopK, evaluate_top_k},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
