// Bodies of convolutions and pools: im2col and its transpose, the direct product for depthwise
// convolutions, maxima and averages. One to three spatial dimensions.
//
//   output position o reads input positions  o*stride - pad + tap*dilation,  tap < kernel;
//   those outside [0, input) are padding.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "models/reference/host_device.h"

namespace weft::cuda {

inline constexpr std::int32_t kMaxWindowDims = 3;

struct WindowExtent {
  std::int64_t input = 1;
  std::int64_t output = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;  // at the beginning
  std::int64_t pad_end = 0;
};

/// Plain data, copied into a kernel's arguments. A window with fewer than three dimensions has
/// leading dimensions of extent 1.
struct ConvolutionWindow {
  std::array<WindowExtent, kMaxWindowDims> dims = {};

  WEFT_HOST_DEVICE std::int64_t inputs() const {
    return dims[0].input * dims[1].input * dims[2].input;
  }
  WEFT_HOST_DEVICE std::int64_t outputs() const {
    return dims[0].output * dims[1].output * dims[2].output;
  }
  WEFT_HOST_DEVICE std::int64_t taps() const {
    return dims[0].kernel * dims[1].kernel * dims[2].kernel;
  }

  /// The input position that tap number `tap` of output number `output` reads; -1 in the padding.
  WEFT_HOST_DEVICE std::int64_t input_of(std::int64_t output, std::int64_t tap) const {
    std::int64_t result = 0;
    std::int64_t scale = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
      const WindowExtent& dim = dims[d];
      const std::int64_t position =
          output % dim.output * dim.stride - dim.pad + tap % dim.kernel * dim.dilation;
      if (position < 0 || position >= dim.input) return -1;
      result += position * scale;
      scale *= dim.input;
      output /= dim.output;
      tap /= dim.kernel;
    }
    return result;
  }

  /// The output that reads `input` with tap number `tap`; -1 if there is none.
  WEFT_HOST_DEVICE std::int64_t output_of(std::int64_t input, std::int64_t tap) const {
    std::int64_t result = 0;
    std::int64_t scale = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
      const WindowExtent& dim = dims[d];
      const std::int64_t start = input % dim.input + dim.pad - tap % dim.kernel * dim.dilation;
      if (start < 0 || start % dim.stride != 0 || start / dim.stride >= dim.output) return -1;
      result += start / dim.stride * scale;
      scale *= dim.output;
      input /= dim.input;
      tap /= dim.kernel;
    }
    return result;
  }

  /// Number of positions in the window of output number `output` inside the padded input. Positions
  /// beyond the padding, which a rounded-up output size can reach, do not count.
  WEFT_HOST_DEVICE std::int64_t padded_taps(std::int64_t output) const {
    std::int64_t result = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
      const WindowExtent& dim = dims[d];
      const std::int64_t start = output % dim.output * dim.stride - dim.pad;
      const std::int64_t room = dim.input + dim.pad_end - start;  // start >= -pad always
      const std::int64_t fit = room <= 0 ? 0 : (room - 1) / dim.dilation + 1;
      result *= fit < dim.kernel ? fit : dim.kernel;
      output /= dim.output;
    }
    return result;
  }
};

/// im2col: x [planes, inputs] becomes y [planes, taps, outputs], 0 for padding. `planes` counts
/// images times channels. Unit: an unsigned integer of the elements' size.
template <class Unit>
struct Unfold {
  const Unit* x;
  Unit* y;
  ConvolutionWindow window;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t outputs = window.outputs();
    const std::int64_t row = i / outputs;
    const std::int64_t taps = window.taps();
    const std::int64_t plane = row / taps;
    const std::int64_t input = window.input_of(i - row * outputs, row - plane * taps);
    y[i] = input < 0 ? Unit{0} : x[plane * window.inputs() + input];
  }
};

/// col2im, the transpose of Unfold: y [planes, inputs] gets the sums of x [planes, taps, outputs],
/// in the order of the taps. Each element gathers its terms, so that no two threads add to one
/// element.
struct FoldWindows {
  const float* x;
  float* y;
  ConvolutionWindow window;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t plane = i / window.inputs();
    const std::int64_t input = i - plane * window.inputs();
    float sum = 0.0F;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
      const std::int64_t output = window.output_of(input, tap);
      if (output >= 0) sum += x[(plane * window.taps() + tap) * window.outputs() + output];
    }
    y[i] = sum;
  }
};

/// A convolution with one input channel per group: x [images, groups, inputs], w [groups,
/// per_group, taps], y [images, groups * per_group, outputs]. Products are added in the order of
/// the taps.
struct DepthwiseConvolution {
  const float* x;
  const float* w;
  float* y;
  std::int64_t groups;
  std::int64_t per_group;
  ConvolutionWindow window;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t outputs = window.outputs();
    const std::int64_t plane = i / outputs;  // of the output
    const std::int64_t channel = plane % (groups * per_group);
    const std::int64_t image = plane / (groups * per_group);
    const float* from = x + (image * groups + channel / per_group) * window.inputs();
    const float* weights = w + channel * window.taps();
    float sum = 0.0F;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
      const std::int64_t input = window.input_of(i - plane * outputs, tap);
      if (input >= 0) sum += from[input] * weights[tap];
    }
    y[i] = sum;
  }
};

/// Whether `value` replaces the maximum `best`. A NaN always does.
WEFT_HOST_DEVICE inline bool exceeds(float value, float best) {
  return value > best || value != value;
}

/// x [planes, inputs], y and indices [planes, outputs]; `indices` may be null. Indices count
/// through all of x; within a plane they are row-major or column-major.
struct MaxPool {
  const float* x;
  float* y;
  std::int64_t* indices;
  bool column_major;
  ConvolutionWindow window;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t outputs = window.outputs();
    const std::int64_t plane = i / outputs;
    const float* from = x + plane * window.inputs();
    float best = -std::numeric_limits<float>::infinity();
    std::int64_t where = -1;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
      const std::int64_t input = window.input_of(i - plane * outputs, tap);
      if (input < 0 || (where >= 0 && !exceeds(from[input], best))) continue;
      best = from[input];
      where = input;
    }
    y[i] = best;
    if (indices != nullptr) indices[i] = plane * window.inputs() + stored(where);
  }

  WEFT_HOST_DEVICE std::int64_t stored(std::int64_t position) const {
    if (!column_major) return position;
    std::int64_t result = 0;
    std::int64_t rest = window.inputs();
    for (std::size_t d = window.dims.size(); d-- > 0;) {
      rest /= window.dims[d].input;
      result += position % window.dims[d].input * rest;
      position /= window.dims[d].input;
    }
    return result;
  }
};

/// Starts from +0, adds the window's elements in row-major order, then divides once by their
/// number.
struct AveragePool {
  const float* x;
  float* y;
  bool count_padding;
  ConvolutionWindow window;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t outputs = window.outputs();
    const std::int64_t plane = i / outputs;
    const std::int64_t output = i - plane * outputs;
    const float* from = x + plane * window.inputs();
    float sum = 0.0F;
    std::int64_t inside = 0;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
      const std::int64_t input = window.input_of(output, tap);
      if (input < 0) continue;
      sum += from[input];
      ++inside;
    }
    y[i] = sum / static_cast<float>(count_padding ? window.padded_taps(output) : inside);
  }
};

/// Reduces x [planes, size] to y [planes], in the order of the elements.
struct GlobalPool {
  bool maximum;
  const float* x;
  float* y;
  std::int64_t size;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const float* from = x + i * size;
    float result = maximum ? -std::numeric_limits<float>::infinity() : 0.0F;
    for (std::int64_t k = 0; k < size; ++k) {
      if (!maximum) {
        result += from[k];
      } else if (exceeds(from[k], result)) {
        result = from[k];
      }
    }
    y[i] = maximum ? result : result / static_cast<float>(size);
  }
};

}  // namespace weft::cuda
