// Infers the outputs of one node, given its input types and tensors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/infer_outputs.h"

namespace weft::testing_support {

using graph::Attributes;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueType;

/// An input: a type, a tensor known before the run, or nothing.
struct In {
  In(Shape shape) : type(ValueType{DataType::kFloat32, std::move(shape)}) {}  // NOLINT
  In(DataType data_type, Shape shape) : type(ValueType{data_type, std::move(shape)}) {}
  In(Tensor tensor) : type(tensor.value_type()), known(std::move(tensor)) {}  // NOLINT
  In(std::nullopt_t) {}                                                       // NOLINT

  std::optional<ValueType> type;
  std::optional<Tensor> known;
};

/// An int64 list known before the run.
inline In list(const std::vector<std::int64_t>& values) {
  return Tensor::vector(values);
}
/// An int64 list not known before the run.
inline In unknown_list(std::int64_t length) {
  return {DataType::kInt64, {length}};
}

inline std::vector<ValueType> infer(Op op, const std::vector<In>& inputs,
                                    const Attributes& attributes = {}, std::size_t outputs = 1) {
  std::vector<const ValueType*> types;
  std::vector<const Tensor*> constants;
  for (const In& in : inputs) {
    types.push_back(in.type ? &*in.type : nullptr);
    constants.push_back(in.known ? &*in.known : nullptr);
  }
  return graph::infer_outputs({op, attributes, types, constants, outputs});
}

/// Returns the first output's shape.
inline Shape infer_shape(Op op, const std::vector<In>& inputs, const Attributes& attributes = {}) {
  return infer(op, inputs, attributes).front().shape;
}

/// Returns the first output's type.
inline DataType infer_type(Op op, const std::vector<In>& inputs,
                           const Attributes& attributes = {}) {
  return infer(op, inputs, attributes).front().type;
}

/// Returns the message of the InputError, or "no error" if there is none.
inline std::string infer_error(Op op, const std::vector<In>& inputs,
                               const Attributes& attributes = {}, std::size_t outputs = 1) {
  try {
    infer(op, inputs, attributes, outputs);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

using Ints = std::vector<std::int64_t>;

inline graph::Attribute integer(std::int64_t value) {
  return value;
}

}  // namespace weft::testing_support
