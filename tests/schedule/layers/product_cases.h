// Shapes of matrix products, and attention heads made by reshaping.
#pragma once

#include "tests/schedule/layers/layer_check.h"

namespace weft::compiler::testing {

/// A [batch.., m, k] times B [batch.., k, n].
struct Sizes {
  Shape batch;
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;

  Shape matrix(std::int64_t rows, std::int64_t cols) const {
    Shape shape = batch;
    shape.insert(shape.end(), {rows, cols});
    return shape;
  }
};

/// Extents near the array's sides, with up to `most_axes` batch axes.
Sizes random_sizes(const MachineConfig& config, std::int64_t most_axes, Random& random);

/// Attention: `heads` heads of `width` channels.
struct Heads {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t tokens = 1;
  std::int64_t width = 1;
};

Heads random_heads(const MachineConfig& config, Random& random);

/// [batch, tokens, heads * width] as [batch, heads, tokens, width]; `swapped` exchanges the last
/// two.
ValueId split_heads(LayerCase& layer, ValueId x, std::int64_t heads, bool swapped);
/// [batch, heads, tokens, width] as [batch, tokens, heads * width].
ValueId merge_heads(LayerCase& layer, ValueId x);

}  // namespace weft::compiler::testing
