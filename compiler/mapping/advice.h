// What a plan alone shows about an array that is not fully used: how much the padding of a
// dimension wastes, and which other sizes may use the array better. Whether such a size is better
// depends on cycles, hence also on memories and buffers: the caller must count them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft {

enum class SuggestionKind : std::uint8_t {
  kWholeTiles,  // padding of K or N to whole tiles
  kBatch,       // fewer rows use a tile than cycles are needed to shift the next one in
  kTransposed,  // columns of padding leave with the result; B'A' would have fewer
};

struct Suggestion {
  SuggestionKind kind = SuggestionKind::kWholeTiles;
  std::string statement;  // a fact, such as "N = 129 wastes 49.6 % of the array"
  double waste = 0;       // wasted share of the array, from 0 to 1
  /// The dimension in which the alternatives differ; K, which is the same, if they are transposed.
  std::uint64_t MatmulSpec::*size{};
  std::vector<MatmulSpec> alternatives;  // the preferred one first
};

/// The suggestions, the largest waste first. Empty if all tiles are full and M is long enough.
std::vector<Suggestion> suggestions(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
