// ConvTranspose with constant weights as ordinary convolutions of stride 1, which the machine has.
// Output position o takes input position i by tap k where o = i*s - p + k*d. Outputs with the same
// remainder r = o mod s, a phase, share their taps, those with k*d = r + p (mod s), so that with
// o = s*j + r
//
//     y[s*j + r] = sum over these k of  w[k] x[j + (r + p - k*d) / s]
//
// is a convolution of x with every (s / gcd(s, d))-th tap, last one first, dilated by d / gcd(s,
// d). No zero is multiplied that the operator does not have itself:
//
//   stride 2:   x --+-- Conv, even taps --- y0 y2 y4 ---+
//                   |                                   +-- Concat, Transpose, Reshape --- y
//                   +-- Conv, odd taps ---- y1 y3 y5 ---+
//
// Every phase has ceil(output / s) positions; what that is too many is sliced off. Input that no
// output takes, where pads are larger than the kernel, is sliced off before. A phase without taps
// is the bias. Groups, dilations, pads, output_padding, output_shape and auto_pad are covered, for
// one to three dimensions; a node with computed weights, or more than kMostPhases phases, is left
// as it is.
//
// An activation behind the node goes before the Concat, where fuse_activation finds it.
//
// Values stay the same up to the order of additions. Source: Shi et al., "Is the deconvolution
// layer the same as a convolutional layer?", 2016.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// Phases, over all dimensions, beyond which a node is better left to the host.
inline constexpr std::int64_t kMostPhases = 64;

graph::Graph decompose_conv_transpose(graph::Graph graph);

}  // namespace weft::passes
