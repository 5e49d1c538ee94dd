#include "compiler/autodiff/window_attributes.h"

#include <algorithm>

namespace weft::autodiff {
namespace {

using graph::Attributes;
using graph::WindowDim;
using Ints = std::vector<std::int64_t>;

/// The number of positions by which the last window exceeds the input; negative if it ends before
/// the input does.
std::int64_t reach_beyond(const WindowDim& dim) {
  return (dim.output - 1) * dim.stride + dim.extent() - dim.pad_begin - dim.input;
}

}  // namespace

Attributes convolution_attributes(const std::vector<WindowDim>& windows, std::int64_t groups) {
  Ints strides, dilations, pads, pads_end;
  for (const WindowDim& dim : windows) {
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    pads.push_back(dim.pad_begin);
    pads_end.push_back(dim.pad_end);
  }
  pads.insert(pads.end(), pads_end.begin(), pads_end.end());
  return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}, {"group", groups}};
}

Attributes covering_attributes(std::vector<WindowDim> windows, std::int64_t groups) {
  for (WindowDim& dim : windows) dim.pad_end = std::max<std::int64_t>(0, reach_beyond(dim));
  return convolution_attributes(windows, groups);
}

Attributes transposed_attributes(std::vector<WindowDim> windows, std::int64_t groups) {
  Ints extra;
  for (WindowDim& dim : windows) {
    dim.pad_end = std::max<std::int64_t>(0, reach_beyond(dim));
    extra.push_back(std::max<std::int64_t>(0, -reach_beyond(dim)));
  }
  Attributes attributes = convolution_attributes(windows, groups);
  const bool any = std::ranges::any_of(extra, [](std::int64_t each) { return each != 0; });
  if (any) attributes.set("output_padding", extra);
  return attributes;
}

}  // namespace weft::autodiff
