// Helpers for the operators' evaluations: access to a NodeCall's inputs and outputs, and the choice
// of the template for its element type. The graph's checks have run before
// (compiler/graph/shapes/infer_outputs.h), so types and shapes fit. Evaluations check only what
// depends on elements.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

using graph::DataType;
using graph::NodeCall;
using graph::Shape;
using graph::Tensor;

using Tensors = std::vector<Tensor>;

/// Input `i`, or null if it is left out.
const Tensor* optional_input(const NodeCall& call, std::size_t i);
/// Input `i`. Throws InputError if it is left out.
const Tensor& input(const NodeCall& call, std::size_t i);

/// Input `i` as elements of T; empty if it is left out. Throws InputError for another type.
template <class T>
std::span<const T> elements(const NodeCall& call, std::size_t i);

/// Throws InputError: the operator does not take elements of this type.
[[noreturn]] void throw_wrong_type(const NodeCall& call, DataType type);

template <class T>
std::span<const T> elements(const NodeCall& call, std::size_t i) {
  const Tensor* tensor = optional_input(call, i);
  if (tensor == nullptr) return {};
  if (tensor->type() != graph::data_type_of<T>()) throw_wrong_type(call, tensor->type());
  return tensor->data<T>();
}

/// Calls function(T{}) with T = float or double, the type of input 0. Throws InputError for another
/// type.
template <class Function>
decltype(auto) with_real(const NodeCall& call, Function&& function) {
  const DataType type = input(call, 0).type();
  if (type == DataType::kFloat64) return function(double{});
  if (type != DataType::kFloat32) throw_wrong_type(call, type);
  return function(float{});
}

}  // namespace weft::reference
