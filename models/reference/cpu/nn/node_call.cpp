#include "models/reference/cpu/nn/node_call.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::reference {

const Tensor* optional_input(const NodeCall& call, std::size_t i) {
  return i < call.inputs.size() ? call.inputs[i] : nullptr;
}

const Tensor& input(const NodeCall& call, std::size_t i) {
  const Tensor* tensor = optional_input(call, i);
  if (tensor == nullptr) {
    throw InputError(fmt::format("{}: input {} is missing", to_string(call.op), i));
  }
  return *tensor;
}

void throw_wrong_type(const NodeCall& call, DataType type) {
  throw InputError(
      fmt::format("{}: not defined for elements of {}", to_string(call.op), to_string(type)));
}

}  // namespace weft::reference
