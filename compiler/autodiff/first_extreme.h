// The gradient of a maximum or minimum over whole axes.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// `dy` at the first position, in row-major order over `axes`, at which input 0 equals `y`; 0
/// elsewhere. y and dy have extent 1 along the axes. Refuses more than 2^24 positions, because
/// float32 cannot number more.
ValueId to_first_extreme(NodeGradient& g, ValueId y, ValueId dy, const Ints& axes);

}  // namespace weft::autodiff
