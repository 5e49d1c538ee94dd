// A convolution as a network of one node, with drawn weights: what `weft conv` runs.
//
// On float machines Conv, on int8 machines QLinearConv. Weights are spread so that sums have a
// standard deviation of about 4: a relu6 clips some, and int8 results use their range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/graph.h"
#include "pe/element_type.h"
#include "sim/isa/program.h"

namespace weft::cli {

struct ConvSpec {
  graph::Shape input = {1, 1, 1, 1};  // N C H W
  std::int64_t filters = 1;
  std::array<std::int64_t, 2> kernel = {1, 1};
  std::array<std::int64_t, 2> strides = {1, 1};
  std::array<std::int64_t, 2> dilations = {1, 1};
  std::optional<std::array<std::int64_t, 4>> pads;  // top left bottom right; none: "same"
  std::int64_t groups = 1;
  bool bias = false;
  Activation activation = Activation::kNone;
};

/// "64 filters of 3x3 over 1x64x56x56, relu".
std::string to_text(const ConvSpec& spec);

/// The graph: input "x", output "y". No weight is made before it is asked for. Throws InputError
/// for a convolution that cannot be.
graph::Graph conv_graph(const ConvSpec& spec, ElementType dtype, std::uint64_t seed);

}  // namespace weft::cli
