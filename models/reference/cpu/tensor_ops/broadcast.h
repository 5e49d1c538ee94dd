// The broadcasting engine: every element-wise operator is a function of one element of each input,
// mapped over the output. Inputs of the output's shape, scalars, and vectors along the trailing
// dimensions become loops with constant steps, which the C++ compiler can vectorize.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "compiler/graph/tensor.h"
#include "models/reference/cpu/tensor_ops/strided_loop.h"

namespace weft::reference::tensor_ops {

/// Strides for reading an input of shape `input` for a result of shape `output`: 0 along dimensions
/// that the input repeats. Throws InputError if it does not broadcast to `output`.
graph::Shape broadcast_strides(const graph::Shape& input, const graph::Shape& output);

namespace detail {

/// Calls function(integer_sequence<steps...>), with the steps as constants. Rows of a broadcast
/// have only steps 0 and 1, because every input is row-major.
template <std::size_t N, class Function, std::int64_t... kDone>
void with_constant_steps(const std::array<std::int64_t, N>& steps, Function&& function,
                         std::integer_sequence<std::int64_t, kDone...> done = {}) {
  if constexpr (sizeof...(kDone) == N) {
    function(done);
  } else if (steps[sizeof...(kDone)] == 0) {
    with_constant_steps(steps, function, std::integer_sequence<std::int64_t, kDone..., 0>{});
  } else {
    assert(steps[sizeof...(kDone)] == 1);
    with_constant_steps(steps, function, std::integer_sequence<std::int64_t, kDone..., 1>{});
  }
}

template <std::size_t N, std::size_t... kInput>
StridedLoop<N> broadcast_loop(const graph::Shape& output,
                              const std::array<const graph::Tensor*, N>& inputs,
                              std::index_sequence<kInput...>) {
  return {output, {broadcast_strides(inputs[kInput]->shape(), output)...}};
}

}  // namespace detail

/// A tensor of `type` with elements Out. Each element is function(In...) of the elements of
/// `inputs`, broadcast to the tensor's shape. Throws InputError if an input does not broadcast, and
/// whatever `function` throws.
template <class Out, class... In, class Function>
graph::Tensor map_broadcast(const graph::ValueType& type,
                            const std::array<const graph::Tensor*, sizeof...(In)>& inputs,
                            Function function) {
  graph::Tensor result(type);
  Out* out = result.mutable_data<Out>().data();
  const auto each_input = std::index_sequence_for<In...>{};
  const auto loop = detail::broadcast_loop(type.shape, inputs, each_input);
  const std::int64_t length = loop.row_length();
  const auto run = [&]<std::int64_t... kStep, std::size_t... kInput>(
      std::integer_sequence<std::int64_t, kStep...>, std::index_sequence<kInput...>) {
    const std::tuple<const In*...> data{inputs[kInput]->template data<In>().data()...};
    loop.for_each_row([&](const auto& at) {
      const std::tuple<const In*...> row{std::get<kInput>(data) + at[kInput]...};
      for (std::int64_t i = 0; i < length; ++i) {
        out[i] = function(std::get<kInput>(row)[i * kStep]...);
      }
      out += length;
    });
  };
  detail::with_constant_steps(loop.steps(), [&](auto steps) { run(steps, each_input); });
  return result;
}

/// Applies `function` to every element of `input`; the result has elements Out of type `type`.
template <class Out, class In, class Function>
graph::Tensor map_elements(graph::DataType type, const graph::Tensor& input, Function function) {
  return map_broadcast<Out, In>({type, input.shape()}, {&input}, function);
}

}  // namespace weft::reference::tensor_ops
