// Which weights of a layer lie in which rows of the array.
#pragma once

#include <cstdint>

#include "compiler/blocks/places.h"
#include "compiler/layers/layers.h"
#include "compiler/program/fold_map.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// The most k tiles that a FoldMap lists for products that begin in the same row. Of more, it lists
/// the first and kLastKTiles.
inline constexpr std::int64_t kListedKTiles = 64;
inline constexpr std::int64_t kLastKTiles = 8;
/// The most different rows in which products begin that a FoldMap lists.
inline constexpr std::size_t kListedFronts = 8;

/// Leaves `images` empty.
FoldMap map_folds(const ContractionLayer& layer, const Mapping& mapping, const Places& places);
/// The same for the product of one matrix [k, n] of weights.
FoldMap map_folds(std::uint64_t k, std::uint64_t n, const Mapping& mapping,
                  const MachineConfig& config);

/// Adds the products of `part`, a part of the same layer that has other products.
void add_products(FoldMap& all, const FoldMap& part);

}  // namespace weft::compiler
