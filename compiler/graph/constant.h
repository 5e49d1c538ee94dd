// A value that is known before the network runs: either a tensor in memory or a function that makes
// the tensor on demand. Built-in networks use functions, so a run without values never makes the
// weights.
#pragma once

#include <functional>
#include <utility>
#include <variant>

#include "compiler/graph/tensor.h"

namespace weft::graph {

class Constant {
 public:
  Constant(Tensor tensor) : type_(tensor.value_type()), source_(std::move(tensor)) {}  // NOLINT
  /// `make` must return the same tensor, of type `type`, at every call.
  Constant(ValueType type, std::function<Tensor()> make)
      : type_(std::move(type)), source_(std::move(make)) {}

  const ValueType& type() const { return type_; }
  /// The tensor. If it is made on demand, each call makes it again.
  Tensor tensor() const {
    const auto* ready = this->ready();
    return ready != nullptr ? *ready : std::get<std::function<Tensor()>>(source_)();
  }
  /// The tensor if it is in memory, null if it is made on demand.
  const Tensor* ready() const { return std::get_if<Tensor>(&source_); }

 private:
  ValueType type_;
  std::variant<Tensor, std::function<Tensor()>> source_;
};

}  // namespace weft::graph
