// Functions of one element. They come from nn/scalar_functions.h, which the fused activations use
// too.
#include <fmt/format.h>

#include <type_traits>

#include "models/reference/cpu/nn/scalar_functions.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/integers.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/limits.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Op;
using graph::Tensor;

template <class T, class Function>
Tensor map_same_type(const Tensor& x, Function function) {
  return map_elements<T, T>(x.type(), x, on_elements<T>(function));
}

template <class Function>
Tensor map_floats(const NodeCall& call, Function function) {
  const Tensor& x = input(call, 0);
  return with_floats(x.type(), [&]<class T>(T) { return map_same_type<T>(x, function); });
}

template <class Function>
Tensor map_numbers(const NodeCall& call, Function function) {
  const Tensor& x = input(call, 0);
  return with_numbers(x.type(), [&]<class T>(T) { return map_same_type<T>(x, function); });
}

struct Parameters {
  float alpha;
  float beta;
};

Parameters parameters(const NodeCall& call, ActivationDefaults defaults,
                      std::string_view beta_name = "beta") {
  return {call.attributes.real("alpha", defaults.alpha),
          call.attributes.real(beta_name, defaults.beta)};
}

Tensor with_parameters(const NodeCall& call) {
  switch (call.op) {
    case Op::kLeakyRelu:
      return map_floats(call, [p = parameters(call, kLeakyReluDefaults)]<class T>(T x) {
        return leaky_relu(x, static_cast<T>(p.alpha));
      });
    case Op::kElu:
      return map_floats(call, [p = parameters(call, kEluDefaults)]<class T>(T x) {
        return elu(x, static_cast<T>(p.alpha));
      });
    case Op::kSelu:
      return map_floats(call, [p = parameters(call, kSeluDefaults, "gamma")]<class T>(T x) {
        return selu(x, static_cast<T>(p.alpha), static_cast<T>(p.beta));
      });
    default:
      return map_floats(call, [p = parameters(call, kHardSigmoidDefaults)]<class T>(T x) {
        return hard_sigmoid(x, static_cast<T>(p.alpha), static_cast<T>(p.beta));
      });
  }
}

template <class T>
T magnitude(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < T{0} ? wrapping_negate(x) : x;
  } else {
    return abs(x);
  }
}

template <class T>
T negated(T x) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_negate(x);
  } else {
    return neg(x);
  }
}

// ONNX defines Erf for integers too: the truncated result is 1, 0 or -1.
template <class T>
T error_function(T x) {
  if constexpr (std::is_integral_v<T>) {
    return convert<T>(erf(static_cast<double>(x)));
  } else {
    return erf(x);
  }
}

Tensor unary(const NodeCall& call) {
  switch (call.op) {
    case Op::kRelu:
      return map_numbers(call, [](auto x) { return relu(x); });
    case Op::kNeg:
      return map_numbers(call, [](auto x) { return negated(x); });
    case Op::kAbs:
      return map_numbers(call, [](auto x) { return magnitude(x); });
    case Op::kSigmoid:
      return map_floats(call, [](auto x) { return sigmoid(x); });
    case Op::kHardSwish:
      return map_floats(call, [](auto x) { return hard_swish(x); });
    case Op::kTanh:
      return map_floats(call, [](auto x) { return tanh(x); });
    case Op::kErf:
      return map_numbers(call, [](auto x) { return error_function(x); });
    case Op::kSoftplus:
      return map_floats(call, [](auto x) { return softplus(x); });
    case Op::kSqrt:
      return map_floats(call, [](auto x) { return sqrt(x); });
    case Op::kExp:
      return map_floats(call, [](auto x) { return exp(x); });
    case Op::kLog:
      return map_floats(call, [](auto x) { return log(x); });
    case Op::kReciprocal:
      return map_floats(call, [](auto x) { return reciprocal(x); });
    default:
      return with_parameters(call);
  }
}

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

}  // namespace

std::vector<Tensor> evaluate_unary(const NodeCall& call) {
  return {unary(call)};
}

std::vector<Tensor> evaluate_clip(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  return {with_numbers(x.type(), [&]<class T>(T) {
    const Compute<T> low = bound<T>(optional_input(call, 1), lowest<Compute<T>>());
    const Compute<T> high = bound<T>(optional_input(call, 2), highest<Compute<T>>());
    return map_same_type<T>(x, [low, high](auto element) { return clip(element, low, high); });
  })};
}

}  // namespace weft::reference::tensor_ops
