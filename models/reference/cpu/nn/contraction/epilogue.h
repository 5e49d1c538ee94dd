// The steps after a contraction, in this order: bias, residual, activation (the extensions
// described in compiler/graph/op.h). Each addition is rounded to the element type.
#pragma once

#include "models/reference/cpu/nn/activation.h"

namespace weft::reference {

/// y [outer, bias.size(), inner] += bias along the middle dimension; no change if `bias` is empty.
template <class T>
void add_bias(std::span<T> y, std::span<const T> bias, std::int64_t inner) {
  if (bias.empty() || inner == 0) return;
  const std::size_t run = static_cast<std::size_t>(inner);
  for (std::size_t i = 0; i * run < y.size(); ++i) {
    const T value = bias[i % bias.size()];
    for (T& element : y.subspan(i * run, run)) element += value;
  }
}

/// y [rows, bias.size()] += bias on every row.
template <class T>
void add_bias_to_rows(std::span<T> y, std::span<const T> bias) {
  for (std::size_t row = 0; !bias.empty() && row < y.size(); row += bias.size()) {
    for (std::size_t i = 0; i < bias.size(); ++i) y[row + i] += bias[i];
  }
}

/// y += residual of the same shape, if there is one; then the node's activation.
template <class T>
void add_residual_and_activate(const NodeCall& call, std::span<const T> residual, std::span<T> y) {
  for (std::size_t i = 0; i < residual.size(); ++i) y[i] += residual[i];
  apply_activation(activation_of(call.attributes), y);
}

}  // namespace weft::reference
