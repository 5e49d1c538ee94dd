#include "models/reference/cpu/nn/taps.h"

namespace weft::reference {
namespace {

template <class Extent>
std::int64_t product(const Windows& windows, Extent extent) {
  std::int64_t total = 1;
  for (const graph::WindowDim& window : windows) total *= window.*extent;
  return total;
}

/// value / divisor, rounded up; `divisor` > 0.
std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return value > 0 ? (value - 1) / divisor + 1 : -(-value / divisor);
}

}  // namespace

std::int64_t input_plane(const Windows& windows) {
  return product(windows, &graph::WindowDim::input);
}
std::int64_t output_plane(const Windows& windows) {
  return product(windows, &graph::WindowDim::output);
}
std::int64_t tap_count(const Windows& windows) {
  return product(windows, &graph::WindowDim::kernel);
}

std::vector<std::int64_t> tap_coordinates(const Windows& windows, std::int64_t tap) {
  std::vector<std::int64_t> at(windows.size());
  for (std::size_t d = windows.size(); d-- > 0;) {
    at[d] = tap % windows[d].kernel;
    tap /= windows[d].kernel;
  }
  return at;
}

OutputRange outputs_inside(const graph::WindowDim& window, std::int64_t tap) {
  const std::int64_t offset = window.pad_begin - tap * window.dilation;
  const std::int64_t first = divide_up(offset, window.stride);
  const std::int64_t end = divide_up(offset + window.input, window.stride);
  return {std::clamp<std::int64_t>(first, 0, window.output),
          std::clamp<std::int64_t>(end, 0, window.output)};
}

std::int64_t input_line(const Windows& windows, const std::vector<std::int64_t>& tap,
                        std::int64_t line) {
  std::int64_t from = 0;
  std::int64_t lines = 1;
  for (std::size_t d = windows.size() - 1; d-- > 0;) {
    const graph::WindowDim& window = windows[d];
    const std::int64_t position = input_position(window, line % window.output, tap[d]);
    if (position < 0 || position >= window.input) return -1;
    from += position * lines;
    lines *= window.input;
    line /= window.output;
  }
  return from;
}

}  // namespace weft::reference
