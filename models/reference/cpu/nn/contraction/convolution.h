// Convolution on raw elements, for real and integer operators. Each image and group is a matrix
// product of the weights with the unfolded input (im2col). It runs in blocks of output positions
// that fit in the second-level cache.
//
//    weights [out, in*taps]  x  unfolded [in*taps, positions]  ->  output [out, positions]
//
// A 1x1 convolution with stride 1 multiplies the input without unfolding; a depthwise one runs tap
// by tap.
#pragma once

#include <cstdint>
#include <span>

#include "models/reference/cpu/nn/node_call.h"
#include "models/reference/cpu/nn/taps.h"

namespace weft::reference {

/// Channels are counted per group.
struct ConvGeometry {
  std::int64_t images = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  Windows windows;
};

/// Number of positions per block of an unfolded image with `rows` rows (channels times taps).
std::int64_t block_positions(std::int64_t rows);

/// The geometry of a Conv, ConvInteger or QLinearConv with input shape x [N, C, spatial...] and
/// weight shape w [M, C/group, kernel...].
ConvGeometry conv_geometry(const graph::Attributes& attributes, const Shape& x, const Shape& w);
/// [N, M, spatial...].
Shape output_shape(const ConvGeometry& geometry);

/// y = conv(x, w) for x [N, C, spatial...], w [M, C/group, kernel...] and y of output_shape(). y
/// must be zeros on entry; padding is 0. T and Sum are float and float, double and double, or float
/// and int32. The last pair takes integers from -255 to 255 and is exact modulo 2^32.
template <class T, class Sum>
void convolve(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
              std::span<Sum> y);

/// y = the transpose of a convolution, for x [N, C, in...], w [C, M/group, kernel...] and y [N, M,
/// out...]. y must be zeros on entry. `windows` come from resolve_transposed_windows(). T is float
/// or double.
template <class T>
void convolve_transposed(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
                         std::span<T> y);

}  // namespace weft::reference
