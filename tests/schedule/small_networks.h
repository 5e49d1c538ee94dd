// Small networks that contain every construct of the large ones, with a handful of channels each.
// They are small enough for the clocked engines. No size is a multiple of the array's sides.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace weft::compiler::testing {

struct SmallNetwork {
  std::string_view name;
  graph::Graph (*of_batch)(std::int64_t batch);
  std::int64_t batch;  // of build()
  /// Largest error on a bf16 machine, as a share of the largest output. Every layer rounds its
  /// operands and its result, by 2^-9 each, and a handful of layers follow one another. Attention
  /// and recurrences carry errors further. A wrong tap, tile or head would change the whole output.
  double bf16_bound;
  /// In int8 the host computes most of attention and recurrences; the machine's part spills
  /// nothing.
  bool spills_in_int8;

  graph::Graph build() const { return of_batch(batch); }
};

/// LeNet-5; a residual block with a projection; an expand, depthwise (stride 1 and 2), project
/// block; a transformer encoder layer; an LSTM over three steps.
std::span<const SmallNetwork> small_networks();

}  // namespace weft::compiler::testing
