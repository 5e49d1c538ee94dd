// Replaces a ConvTranspose with constant weights by ordinary convolutions of stride 1, which the
// machine supports. Tap k adds input position i to output position o = i*s - p + k*d. The outputs
// with the same remainder r = o mod s form a phase. They share the same taps: those with
// k*d = r + p (mod s). With o = s*j + r, the phase
//
//     y[s*j + r] = sum over these k of  w[k] x[j + (r + p - k*d) / s]
//
// is a convolution of x with every (s / gcd(s, d))-th tap, in reverse order, dilated by
// d / gcd(s, d). It multiplies no zeros in addition to those of the operator:
//
//   stride 2:   x --+-- Conv, even taps --- y0 y2 y4 ---+
//                   |                                   +-- Concat, Transpose, Reshape --- y
//                   +-- Conv, odd taps ---- y1 y3 y5 ---+
//
// Every phase has ceil(output / s) positions; a Slice removes excess positions. If pads are larger
// than the kernel, a Slice first removes the input positions that no output uses. A phase without
// taps is the bias. The pass supports groups, dilations, pads, output_padding, output_shape and
// auto_pad, for one to three dimensions. It does not change a node with computed weights or bias,
// or with more than kMostPhases phases.
//
// The pass moves an activation after the node to before the Concat, so that fuse_activation can
// fuse it.
//
// Values stay the same up to the order of additions. Source: Shi et al., "Is the deconvolution
// layer the same as a convolutional layer?", 2016.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// The largest number of phases over all dimensions. The host computes a node with more phases.
inline constexpr std::int64_t kMostPhases = 64;

graph::Graph decompose_conv_transpose(graph::Graph graph);

}  // namespace weft::passes
