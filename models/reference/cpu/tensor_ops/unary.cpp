// Functions of one element. They come from nn/scalar_functions.h, which the fused activations use
// too.
#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "models/reference/cpu/nn/scalar_functions.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
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

template <class T, class Function>
Tensor map_same_type(const Tensor& x, Function function) {
  return map_elements<T, T>(x.type(), x, on_elements<T>(function));
}

/// function(x) for floats of any type; T is the type of the arithmetic.
template <ActivationKind kind>
auto on_floats(const NodeCall& call) {
  const std::array<float, 2> parameters = graph::parameters_of(call.op, call.attributes);
  return [parameters]<class T>(T x) {
    return activated(kind, x, static_cast<T>(parameters[0]), static_cast<T>(parameters[1]));
  };
}

template <ActivationKind kind>
std::vector<Tensor> of_floats(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const auto function = on_floats<kind>(call);
  return {with_floats(x.type(), [&]<class T>(T) { return map_same_type<T>(x, function); })};
}

/// Like of_floats(), with `Integer` for integers.
template <ActivationKind kind, class Integer>
std::vector<Tensor> of_numbers(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  return {with_numbers(x.type(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return map_same_type<T>(x, Integer{});
    } else {
      return map_same_type<T>(x, on_floats<kind>(call));
    }
  })};
}

struct IntegerRelu {
  template <class T>
  T operator()(T x) const {
    return relu(x);
  }
};
struct IntegerNegation {
  template <class T>
  T operator()(T x) const {
    return wrapping_negate(x);
  }
};
struct IntegerMagnitude {
  template <class T>
  T operator()(T x) const {
    return x < T{0} ? wrapping_negate(x) : x;
  }
};
struct IntegerSign {
  template <class T>
  T operator()(T x) const {
    return sign(x);
  }
};
// ONNX defines Erf for integers too: the truncated result is 1, 0 or -1.
struct IntegerErf {
  template <class T>
  T operator()(T x) const {
    return convert<T>(erf(static_cast<double>(x)));
  }
};

// A bound that is left out limits nothing, not even infinities.
template <class T>
Compute<T> bound(const Tensor* tensor, Compute<T> otherwise) {
  if (tensor == nullptr) return otherwise;
  check_type(*tensor, graph::data_type_of<T>());
  if (tensor->size() != 1) {
    throw InputError(
        fmt::format("a bound must be a scalar, not {}", graph::to_string(tensor->value_type())));
  }
  return widen(tensor->data<T>()[0]);
}

std::vector<Tensor> evaluate_clip(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  return {with_numbers(x.type(), [&]<class T>(T) {
    const Compute<T> low = bound<T>(optional_input(call, 1), lowest<Compute<T>>());
    const Compute<T> high = bound<T>(optional_input(call, 2), highest<Compute<T>>());
    return map_same_type<T>(x, [low, high](auto element) { return clip(element, low, high); });
  })};
}

}  // namespace

Kernels unary_kernels() {
  using enum ActivationKind;
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kRelu, of_numbers<kRelu, IntegerRelu>},
      {Op::kLeakyRelu, of_floats<kLeakyRelu>},
      {Op::kElu, of_floats<kElu>},
      {Op::kSelu, of_floats<kSelu>},
      {Op::kSigmoid, of_floats<kSigmoid>},
      {Op::kHardSigmoid, of_floats<kHardSigmoid>},
      {Op::kHardSwish, of_floats<kHardSwish>},
      {Op::kTanh, of_floats<kTanh>},
      {Op::kErf, of_numbers<kErf, IntegerErf>},
      {Op::kSoftplus, of_floats<kSoftplus>},
      {Op::kSqrt, of_floats<kSqrt>},
      {Op::kExp, of_floats<kExp>},
      {Op::kLog, of_floats<kLog>},
      {Op::kNeg, of_numbers<kNeg, IntegerNegation>},
      {Op::kAbs, of_numbers<kAbs, IntegerMagnitude>},
      {Op::kReciprocal, of_floats<kReciprocal>},
      {Op::kClip, evaluate_clip},
      {Op::kSin, of_floats<kSin>},
      {Op::kCos, of_floats<kCos>},
      {Op::kRound, of_floats<kRound>},
      {Op::kFloor, of_floats<kFloor>},
      {Op::kCeil, of_floats<kCeil>},
      {Op::kSign, of_numbers<kSign, IntegerSign>},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
