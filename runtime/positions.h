// Elements of tensors, named in messages by their positions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "compiler/graph/tensor.h"

namespace weft::runtime {

/// Position and value of the first element that is not finite: "element [0,3] is nan". nullopt if
/// all are finite, and for integers.
std::optional<std::string> first_not_finite(const graph::Tensor& tensor);

/// The coordinates of the element `index` in row-major order: "1,3".
std::string position_text(std::size_t index, const graph::Shape& shape);

}  // namespace weft::runtime
