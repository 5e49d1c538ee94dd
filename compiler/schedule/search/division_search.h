// Tries groups of images and bands of lines.
#pragma once

#include <cstdint>

#include "compiler/schedule/search/tile_search.h"

namespace weft::compiler {

class DivisionSearch : protected TileSearch {
 protected:
  using TileSearch::TileSearch;

  /// Groups of images, if there are several.
  void choose_groups();
  /// Each round takes `images` images. `rounds` of them are under way at once.
  void consider_at_once(const ScheduleChoices& of_round, std::int64_t images, std::uint32_t rounds);
  /// The choices with all of the machine for each round.
  ScheduleChoices one_round_at_a_time(ScheduleChoices choices) const;
  /// Bands of lines, if rows leave the buffer between layers and `tries_bands_`.
  void choose_bands();
  /// With other forms and chunks, other groups and bands may be the best.
  void choose_divisions_again();

  bool tries_bands_ = false;
  bool tries_near_counts_ = false;  // of bands, and with other forms and chunks other groups

 private:
  void move_on_groups();
  void move_on_bands();
  /// Goes from the groups or bands to `others(them)` as long as that saves cycles, until
  /// `most_for_divisions_` instructions are replayed.
  template <class Choice, class Others>
  void move_on(Choice ScheduleChoices::*which, const Others& others);

  std::uint64_t most_for_divisions_ = most_;
};

}  // namespace weft::compiler
