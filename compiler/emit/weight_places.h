// Where the constant weights of a program lie. Layers that use the same constant in the same way
// share its tiles: the steps of a recurrent network, and the parts of a layer
// (compiler/layers/layer_parts.h).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "compiler/emit/weights.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

/// A matrix of weights: its first tile in weight memory, unless all come through the unified
/// buffer, and its first row in host memory, if any do. It has no more tiles than rows there.
struct WeightPlace {
  std::optional<std::uint64_t> tile;
  std::optional<std::uint64_t> host;
};

/// What the packed matrix of a layer's weights follows from.
struct WeightKey {
  graph::ValueId constant = graph::kNoValue;
  std::size_t layer = 0;  // if there is no such constant
  WeightForm form = WeightForm::kMatrix;
  std::int32_t zero_point = 0;
  KLayout rows;
  std::int64_t k = 1;
  std::int64_t n = 1;
  std::int64_t groups = 1;
  std::int64_t matrix = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
  friend auto operator<=>(const WeightKey&, const WeightKey&) = default;
};

using WeightPlaces = std::map<WeightKey, WeightPlace>;

}  // namespace weft::compiler
