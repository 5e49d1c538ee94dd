// Convolution on raw elements, for the real and the integer operators alike: per image and group a
// matrix product of the weights with the unfolded input (im2col), in blocks of output positions
// that stay in the second-level cache.
//
//    weights [out, in*taps]  x  unfolded [in*taps, positions]  ->  output [out, positions]
//
// A 1x1 convolution with stride 1 multiplies the input as it lies; a depthwise one runs tap by tap.
#pragma once

#include <cstdint>
#include <span>

#include "models/reference/cpu/nn/node_call.h"
#include "models/reference/cpu/nn/taps.h"

namespace weft::reference {

/// Channels are those of one group.
struct ConvGeometry {
  std::int64_t images = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  Windows windows;
};

/// How many positions a block of an unfolded image has, with `rows` rows (channels times taps).
std::int64_t block_positions(std::int64_t rows);

/// Of a Conv, ConvInteger or QLinearConv with input shape x [N, C, spatial...] and weights' shape
/// w [M, C/group, kernel...].
ConvGeometry conv_geometry(const graph::Attributes& attributes, const Shape& x, const Shape& w);
/// [N, M, spatial...].
Shape output_shape(const ConvGeometry& geometry);

/// y = conv(x, w), y zeros before: x [N, C, spatial...], w [M, C/group, kernel...], y as
/// output_shape(); padding is 0. T and Sum are float and float, double and double, or float and
/// int32: the latter for integers from -255 to 255, exact modulo 2^32.
template <class T, class Sum>
void convolve(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
              std::span<Sum> y);

/// y = the transpose of a convolution, y zeros before: x [N, C, in...], w [C, M/group, kernel...],
/// y [N, M, out...]. `windows` are those of resolve_transposed_windows(). T is float or double.
template <class T>
void convolve_transposed(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
                         std::span<T> y);

}  // namespace weft::reference
