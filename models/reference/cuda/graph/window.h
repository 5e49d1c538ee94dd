// Converts the windows of a convolution or pool to the form that bodies take.
#pragma once

#include <vector>

#include "compiler/graph/shapes/windows.h"
#include "models/reference/cuda/bodies/windows.h"

namespace weft::cuda {

/// Takes one to three dimensions.
inline ConvolutionWindow make_window(const std::vector<graph::WindowDim>& dims) {
  ConvolutionWindow window = {};
  const std::size_t first = window.dims.size() - dims.size();
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const graph::WindowDim& from = dims[d];
    window.dims[first + d] = {from.input,    from.output,    from.kernel, from.stride,
                              from.dilation, from.pad_begin, from.pad_end};
  }
  return window;
}

}  // namespace weft::cuda
