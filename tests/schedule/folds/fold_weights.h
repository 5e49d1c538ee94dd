// Convolutions whose weights say which filter, channel and tap they belong to, the tiles in which
// the compiler packs them, and what the fold map says about these tiles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "compiler/graph/graph.h"
#include "compiler/program/fold_map.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {

using graph::Shape;

struct Conv {
  Shape x;  // [images, channels, lines, columns]
  Shape w;  // [filters, channels of a group, y, x]
  std::int64_t groups = 1;
  bool computed = false;  // the machine computes the image
  bool pooled = false;    // the machine reads the result
  bool between = false;   // it lies between two convolutions of one tap

  std::int64_t taps() const { return w[2] * w[3]; }
  std::int64_t channel(std::int64_t filter, std::int64_t of_group) const {
    return filter / (w[0] / groups) * w[1] + of_group;
  }
};

/// A weight, or what a row and column of the array hold; all 0: nothing.
using Weight = std::array<std::int64_t, 3>;  // filter, channel, tap, counted from 1

using Place = std::pair<std::int64_t, std::int64_t>;  // row of K, with padding, and column

/// Where the packed tiles hold which weight.
std::map<Place, Weight> held(const Conv& conv, const MachineConfig& config,
                             const MappingOptions& mapping);

/// Where the map says that they do.
std::map<Place, Weight> mapped(const FoldMap& folds, std::int64_t array_rows);

/// Rows of all k tiles that hold any weight.
std::int64_t rows_with_weights(const std::map<Place, Weight>& weights);

/// The layer of the convolution's program that is computed on the array.
LayerInfo array_layer(const Conv& conv, const MachineConfig& config, const MappingOptions& mapping);

/// An array of `least` to `most_rows` rows and `least` to `most_columns` columns.
MachineConfig random_array(Random& random, int least, int most_rows, int most_columns);

}  // namespace weft::compiler::testing
