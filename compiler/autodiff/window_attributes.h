// Converts resolved windows to the attributes of a Conv or ConvTranspose.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::autodiff {

/// The attributes with the strides, dilations and pads of `windows`.
graph::Attributes convolution_attributes(const std::vector<graph::WindowDim>& windows,
                                         std::int64_t groups);

/// A Conv over `input` with at least `output` positions. The padding at the end covers the last
/// window.
graph::Attributes covering_attributes(std::vector<graph::WindowDim> windows, std::int64_t groups);

/// A ConvTranspose from `output` back to `input`. Positions that no window reaches become output
/// padding; positions beyond the input are cut off.
graph::Attributes transposed_attributes(std::vector<graph::WindowDim> windows, std::int64_t groups);

}  // namespace weft::autodiff
