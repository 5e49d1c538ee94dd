// Tries which tiles of constant weights come through the unified buffer, and whether folds of one
// tile come together.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/schedule/search/candidate_search.h"

namespace weft::compiler {

class TileSearch : protected CandidateSearch {
 protected:
  using CandidateSearch::CandidateSearch;

  /// Tiles through the buffer, with few numbers of slots if `coarse`.
  void choose_tiles(bool coarse);
  /// On split memories: as many of them as both channels bring in time, at several paces.
  void pace_tiles();
  /// The choices, whose layers have other tiles than those of the best so far, with as many of them
  /// through the buffer as both channels bring in time.
  void consider_balanced_tiles(const ScheduleChoices& choices);
  /// The same for a large batch, which has time for few replays.
  void consider_estimated_tiles();
  /// The same without a replay, if all sheets stay in the buffer that stayed before.
  void take_tiles();
  /// Steps that use the same weights, with their folds brought together. Tiles that stay in slots
  /// or come from memory can be shared.
  void share_tiles();

 private:
  Cycle least_for(std::uint32_t slots) const;
  bool is_split() const { return config_.memory_kind == MemoryKind::kSplit; }
  std::uint32_t most_slots() const;

  /// The best choices with slots of the last choose_tiles(), even if those without are better.
  std::optional<ScheduleChoices> with_slots_;
};

}  // namespace weft::compiler
