// The reduction engine: the broadcasting loop in reverse. It walks the input in its own order; the
// accumulators have stride 0 along the reduced dimensions.
//
// Sums and means of floats are accumulated in binary64 and rounded once; integers wrap. A mean of
// integers is truncated. Products follow the rules of sums. An empty sum is 0, an empty product 1;
// an empty maximum is the lowest value of the type.
#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/extrema.h"
#include "models/reference/cpu/tensor_ops/integers.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/strided_loop.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Shape;
using graph::Tensor;

// The axes from input 1, or from the attribute in older operator sets.
std::vector<std::int64_t> given_axes(const NodeCall& call) {
  const Tensor* axes = optional_input(call, 1);
  return axes != nullptr ? graph::to_int64(*axes) : call.attributes.integers("axes");
}

Shape reduced_axes(const NodeCall& call, std::int64_t rank) {
  Shape axes = given_axes(call);
  for (std::int64_t& axis : axes) axis = graph::normalized_axis(axis, rank);
  if (axes.empty() && call.attributes.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

// The input's shape with extent 1 along reduced dimensions.
Shape accumulator_shape(const Tensor& x, const Shape& axes) {
  Shape shape = x.shape();
  for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

struct Reduction {
  const Tensor& x;
  Tensor result;  // made first: even an empty input may have a result larger than memory
  Shape accumulators;
  Shape accumulator_strides;  // along the input's dimensions

  Reduction(const NodeCall& call, const Tensor& input)
      : x(input),
        result(call.outputs[0]),
        accumulators(accumulator_shape(x, reduced_axes(call, x.rank()))),
        accumulator_strides(graph::row_major_strides(accumulators)) {
    for (std::size_t d = 0; d < accumulators.size(); ++d) {
      if (accumulators[d] == 1) accumulator_strides[d] = 0;
    }
    if (graph::element_count(accumulators) != result.size()) {
      throw InputError(fmt::format("reducing these axes gives {}, not {}",
                                   graph::to_string(accumulators),
                                   graph::to_string(result.shape())));
    }
  }

  // Number of elements per accumulator.
  std::int64_t count() const {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < accumulators.size(); ++d) {
      if (accumulators[d] == 1) count *= x.shape()[d];
    }
    return count;
  }

  /// Returns the accumulators. Each begins as `start` and takes each of its elements by
  /// step(accumulator, element).
  template <class T, class Accumulator, class Step>
  std::vector<Accumulator> run(Accumulator start, Step step) const;
};

template <class T, class Accumulator, class Step>
std::vector<Accumulator> Reduction::run(Accumulator start, Step step) const {
  std::vector<Accumulator> results(static_cast<std::size_t>(result.size()), start);
  const StridedLoop<2> loop(x.shape(), {graph::row_major_strides(x.shape()), accumulator_strides});
  const std::int64_t length = loop.row_length();
  loop.for_each_row([&](const auto& at) {
    const T* row = x.data<T>().data() + at[0];
    Accumulator* into = results.data() + at[1];
    if (loop.steps()[1] == 0) {
      Accumulator total = *into;
      for (std::int64_t i = 0; i < length; ++i) total = step(total, row[i]);
      *into = total;
    } else {
      for (std::int64_t i = 0; i < length; ++i) into[i] = step(into[i], row[i]);
    }
  });
  return results;
}

template <class T, class Accumulator, class Finish>
Tensor to_tensor(Reduction& reduction, const std::vector<Accumulator>& accumulators,
                 Finish finish) {
  const std::span<T> out = reduction.result.mutable_data<T>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = convert<T>(finish(accumulators[i]));
  return reduction.result;
}

// Floats are summed in binary64, integers in int64.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

/// `operation` of all elements of each accumulator, from `start` on.
template <class T, class Operation>
std::vector<Sum<T>> folded(const Reduction& reduction, Sum<T> start, Operation operation) {
  return reduction.run<T, Sum<T>>(start, [operation](Sum<T> total, T element) {
    const auto term = convert<Sum<T>>(element);
    if constexpr (std::is_integral_v<T>) {
      return wrapping(total, term, operation);
    } else {
      return operation(total, term);
    }
  });
}

template <class T>
std::vector<Sum<T>> sums(const Reduction& reduction) {
  return folded<T>(reduction, 0, std::plus<>{});
}

template <class T, class Extremum>
Tensor extremum(Reduction& reduction, Compute<T> start, Extremum choose) {
  const auto step = [choose](Compute<T> best, T element) { return choose(best, widen(element)); };
  return to_tensor<T>(reduction, reduction.run<T, Compute<T>>(start, step), std::identity{});
}

/// The kernel that gives finish(element, reduction), with an element of the input's type.
template <class Finish>
std::vector<Tensor> evaluate_reduce(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  check_type(x, call.outputs[0].type);
  Reduction reduction(call, x);
  return {with_numbers(x.type(), [&]<class T>(T element) { return Finish{}(element, reduction); })};
}

struct Mean {
  template <class T>
  Tensor operator()(T, Reduction& reduction) const {
    const auto count = static_cast<Sum<T>>(reduction.count());
    return to_tensor<T>(reduction, sums<T>(reduction), [count](Sum<T> total) {
      if constexpr (std::is_integral_v<T>) {
        return truncated_quotient(total, count);
      } else {
        return total / count;
      }
    });
  }
};
struct Total {
  template <class T>
  Tensor operator()(T, Reduction& reduction) const {
    return to_tensor<T>(reduction, sums<T>(reduction), std::identity{});
  }
};
struct Product {
  template <class T>
  Tensor operator()(T, Reduction& reduction) const {
    return to_tensor<T>(reduction, folded<T>(reduction, 1, std::multiplies<>{}), std::identity{});
  }
};
struct Maximum {
  template <class T>
  Tensor operator()(T, Reduction& reduction) const {
    return extremum<T>(reduction, lowest<Compute<T>>(), Larger{});
  }
};
struct Minimum {
  template <class T>
  Tensor operator()(T, Reduction& reduction) const {
    return extremum<T>(reduction, highest<Compute<T>>(), Smaller{});
  }
};

}  // namespace

Kernels reduction_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kReduceMean, evaluate_reduce<Mean>},
      {Op::kReduceSum, evaluate_reduce<Total>},
      {Op::kReduceProd, evaluate_reduce<Product>},
      {Op::kReduceMax, evaluate_reduce<Maximum>},
      {Op::kReduceMin, evaluate_reduce<Minimum>},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
