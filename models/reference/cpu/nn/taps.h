// Walks a convolution one kernel tap at a time. For each tap, it finds runs along the last
// dimension: output positions at which the tap reads inside the input.
//
//   input line   . . [ x x x x x x ] . .      tap t of output o reads input position
//   outputs              o   o   o            o*stride - pad_begin + t*dilation
//
// In a run, the outputs are consecutive and the inputs are `stride` apart.
//
// Copying runs into a matrix is im2col, adding them back is its transpose (ConvTranspose), and
// multiplying by one weight is a depthwise convolution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/graph/shapes/windows.h"

namespace weft::reference {

using Windows = std::vector<graph::WindowDim>;

/// Number of input positions, output positions and kernel taps: the products of the extents.
std::int64_t input_plane(const Windows& windows);
std::int64_t output_plane(const Windows& windows);
std::int64_t tap_count(const Windows& windows);

/// The coordinates of tap number `tap` (row-major in the kernel) along each dimension.
std::vector<std::int64_t> tap_coordinates(const Windows& windows, std::int64_t tap);

/// Along one dimension, the outputs [first, end) at which a tap reads inside the input.
struct OutputRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};
OutputRange outputs_inside(const graph::WindowDim& window, std::int64_t tap);

/// The input position that output `output` reads with a tap, along one dimension.
inline std::int64_t input_position(const graph::WindowDim& window, std::int64_t output,
                                   std::int64_t tap) {
  return output * window.stride - window.pad_begin + tap * window.dilation;
}

/// The input line (all dimensions but the last) that output line `line` reads with a tap, or -1 if
/// it is padding.
std::int64_t input_line(const Windows& windows, const std::vector<std::int64_t>& tap,
                        std::int64_t line);

/// Calls visit(output, input, count) for each run of a tap among the output positions [first, end).
/// The run has `count` outputs from position `output` on. They read inputs from position `input`
/// on, windows.back().stride apart.
template <class Visit>
void for_each_run(const Windows& windows, std::int64_t tap, std::int64_t first, std::int64_t end,
                  Visit visit) {
  const graph::WindowDim& last = windows.back();
  const std::vector<std::int64_t> at = tap_coordinates(windows, tap);
  const OutputRange inside = outputs_inside(last, at.back());
  for (std::int64_t line = first / last.output; line * last.output < end; ++line) {
    const std::int64_t from_line = input_line(windows, at, line);
    if (from_line < 0) continue;
    const std::int64_t start = line * last.output;
    const std::int64_t low = std::max(inside.first, first - start);
    const std::int64_t high = std::min(inside.end, end - start);
    if (low >= high) continue;
    visit(start + low, from_line * last.input + input_position(last, low, at.back()), high - low);
  }
}

}  // namespace weft::reference
