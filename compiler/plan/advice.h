// What the plan alone can say about an array that is not fully used: how much the padding of a
// dimension wastes, and which other sizes may use the array better. Whether one of them does is a
// matter of cycles, which depend on memories and buffers too; whoever asks has to count them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft {

enum class SuggestionKind : std::uint8_t {
  kWholeTiles,  // K or N is padded to whole tiles
  kBatch,       // M is too short for the next tile's shift to hide behind its rows
};

struct Suggestion {
  SuggestionKind kind = SuggestionKind::kWholeTiles;
  std::string statement;  // true of the plan itself: "N = 129 wastes 49.6 % of the array"
  double waste = 0;       // the share of the array that it is about, from 0 to 1
  std::uint64_t MatmulSpec::*size{};     // the dimension in which the alternatives differ
  std::vector<MatmulSpec> alternatives;  // the preferred one first
};

/// What to try, the largest waste first; nothing if all tiles are full and M is long enough.
std::vector<Suggestion> suggestions(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
