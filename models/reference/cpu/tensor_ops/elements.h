// Element types for the kernels: the type for arithmetic on an element, conversions to that type
// and back, and the types that an operator takes.
//
// float16 is computed in binary32 and rounded back to nearest even. Every other type is computed in
// its own type. Source: IEEE 754-2019; ONNX operator specification, opset 17.
#pragma once

#include <fmt/format.h>

#include <type_traits>

#include "base/error.h"
#include "compiler/graph/data_type.h"
#include "compiler/graph/tensor.h"
#include "pe/float_formats.h"

namespace weft::reference::tensor_ops {

/// The type in which arithmetic on elements T is done.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, graph::Half>, float, T>;

/// Converts an element to its arithmetic type; exact.
template <class T>
Compute<T> widen(T element) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return to_float(Fp16{element.bits});
  } else {
    return element;
  }
}

/// The element nearest to `value`.
template <class T>
T narrow(Compute<T> value) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return {to_fp16(value).bits};
  } else {
    return value;
  }
}

/// Turns a function on Compute<T> into a function on T.
template <class T, class Function>
auto on_elements(Function function) {
  return [function](auto... elements) { return narrow<T>(function(widen(elements)...)); };
}

/// Calls function(T{}) with the element type of `type` if it is one of `Allowed`; throws InputError
/// if it is not.
template <class... Allowed, class Function>
graph::Tensor with_one_of(graph::DataType type, Function&& function) {
  return graph::with_type(type, [&]<class T>(T element) -> graph::Tensor {
    if constexpr ((std::is_same_v<T, Allowed> || ...)) {
      return function(element);
    } else {
      throw InputError(fmt::format("does not take {}", graph::to_string(type)));
    }
  });
}

template <class Function>
graph::Tensor with_floats(graph::DataType type, Function&& function) {
  return with_one_of<graph::Half, float, double>(type, function);
}

template <class Function>
graph::Tensor with_numbers(graph::DataType type, Function&& function) {
  return with_one_of<graph::Half, float, double, std::int8_t, std::uint8_t, std::int32_t,
                     std::int64_t>(type, function);
}

}  // namespace weft::reference::tensor_ops
