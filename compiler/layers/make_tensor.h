// A constant that is made when it is needed.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "compiler/graph/tensor.h"

namespace weft::compiler {

/// Makes a tensor, the same at every call. Copies share what the function holds, so layers can be
/// copied often.
class MakeTensor {
 public:
  MakeTensor() = default;  // makes nothing
  template <class Function>
  requires(std::is_invocable_r_v<graph::Tensor, const Function&> &&
           !std::is_same_v<std::remove_cvref_t<Function>, MakeTensor>)
      MakeTensor(Function make)  // NOLINT: like a function
      : make_(std::make_shared<const std::function<graph::Tensor()>>(std::move(make))) {}

  explicit operator bool() const { return make_ != nullptr; }
  graph::Tensor operator()() const { return (*make_)(); }

 private:
  std::shared_ptr<const std::function<graph::Tensor()>> make_;
};

}  // namespace weft::compiler
