// Resolved windows as the attributes of a Conv or ConvTranspose.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/windows.h"

namespace weft::autodiff {

/// Strides, dilations and pads as the windows have them.
graph::Attributes convolution_attributes(const std::vector<graph::WindowDim>& windows,
                                         std::int64_t groups);

/// A Conv over `input` with at least `output` positions: padded at the end as far as they reach.
graph::Attributes covering_attributes(std::vector<graph::WindowDim> windows, std::int64_t groups);

/// A ConvTranspose from `output` back to `input`: what no window reaches is output padding, and
/// what windows reach beyond the input is cut off.
graph::Attributes transposed_attributes(std::vector<graph::WindowDim> windows, std::int64_t groups);

}  // namespace weft::autodiff
