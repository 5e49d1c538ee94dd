// Small networks with everything that large ones are made of, a handful of channels each: few
// enough for the clocked engines, none a multiple of the array's sides.
#pragma once

#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace weft::network::testing {

struct SmallNetwork {
  std::string_view name;
  graph::Graph (*build)();
  /// The largest error of a bf16 machine, as a share of the largest output. Every layer rounds its
  /// operands and its result, 2^-9 each, and a handful of layers follow one another; attention and
  /// recurrences carry errors further. A wrong tap, tile or head is off by the whole output.
  double bf16_bound;
  /// In int8, attention and recurrences are mostly the host's: what is left of them spills nothing.
  bool spills_in_int8;
};

/// LeNet-5; a residual block with a projection; expand, depthwise with strides 1 and 2, project; a
/// transformer's encoder layer; an LSTM over three steps.
std::span<const SmallNetwork> small_networks();

}  // namespace weft::network::testing
