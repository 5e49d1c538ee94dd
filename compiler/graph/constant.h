// A value that is known before the network runs: a tensor, or one that is made when it is asked
// for. Built-in networks are made of the latter, so that a run without values never makes them.
#pragma once

#include <functional>
#include <utility>
#include <variant>

#include "compiler/graph/tensor.h"

namespace weft::graph {

class Constant {
 public:
  Constant(Tensor tensor) : type_(tensor.value_type()), source_(std::move(tensor)) {}  // NOLINT
  /// `make` returns a tensor of type `type`, the same whenever it is called.
  Constant(ValueType type, std::function<Tensor()> make)
      : type_(std::move(type)), source_(std::move(make)) {}

  const ValueType& type() const { return type_; }
  /// The elements; if they are made on demand, made anew.
  Tensor tensor() const {
    const auto* ready = this->ready();
    return ready != nullptr ? *ready : std::get<std::function<Tensor()>>(source_)();
  }
  /// The elements if they exist already, else null.
  const Tensor* ready() const { return std::get_if<Tensor>(&source_); }

 private:
  ValueType type_;
  std::variant<Tensor, std::function<Tensor()>> source_;
};

}  // namespace weft::graph
