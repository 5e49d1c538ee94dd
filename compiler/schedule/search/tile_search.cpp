#include "compiler/schedule/search/tile_search.h"

#include <bit>
#include <utility>
#include <variant>

#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/search/buffered_tiles.h"

namespace weft::compiler {

void TileSearch::choose_tiles(bool coarse) {
  const ScheduleChoices whole = choices_;
  for (const TileChoice& each :
       tile_choices(segment_, best_->schedule, config_, most_slots(), coarse)) {
    consider(with_tiles(whole, each), least_for(each.slots));
  }
}

void TileSearch::pace_tiles() {
  if (choices_.buffer.tile_slots == 0 || !is_split()) return;
  const Schedule schedule = best_->schedule;
  for (const TileChoice& each :
       paced_choices(segment_, schedule, config_, choices_.buffer.tile_slots)) {
    consider(with_tiles(choices_, each));
  }
}

void TileSearch::consider_estimated_tiles() {
  for (const std::uint32_t slots : {8U, 32U, most_slots()}) {
    if (slots > most_slots() || (slots < most_slots() && !is_split())) continue;
    const auto tiles = estimated_tiles(segment_, best_->schedule, config_, slots);
    if (tiles) consider(with_tiles(choices_, *tiles), least_for(tiles->slots));
  }
}

/// More slots leave less room for sheets, which larger batches need. So they must save a
/// hundredth.
Cycle TileSearch::least_for(std::uint32_t slots) const {
  const bool takes_more = slots > choices_.buffer.tile_slots;
  return takes_more && best_->cycles ? *best_->cycles / 100 : 0;
}

void TileSearch::take_tiles() {
  for (std::uint32_t slots = most_slots(); slots > 1; slots /= 4) {
    const auto tiles = estimated_tiles(segment_, best_->schedule, config_, slots);
    if (!tiles) return;
    ScheduleChoices choices = with_tiles(choices_, *tiles);
    if (repeats_weights(segment_)) choices.order = InstructionOrder::kByTile;
    auto scheduled = schedule_layers(segment_, config_, choices);
    auto* schedule = std::get_if<Schedule>(&scheduled);
    if (schedule == nullptr || !keeps_sheets(best_->schedule, *schedule)) continue;
    best_->schedule = std::move(*schedule);
    best_->choices = choices_ = std::move(choices);
    return;
  }
}

void TileSearch::share_tiles() {
  if (!repeats_weights(segment_)) return;
  ScheduleChoices shared = choices_;
  shared.order = InstructionOrder::kByTile;
  const Schedule schedule = best_->schedule;
  // Rows that are used again soon would keep steps apart, or first fit leaves room for more tiles.
  for (const Fit fit : {Fit::kNext, Fit::kFirst}) {
    shared.fit = fit;
    consider(shared);
    for (std::uint32_t slots = most_slots(); slots >= most_slots() / 4 && slots > 1; slots /= 2) {
      const auto tiles = estimated_tiles(segment_, schedule, config_, slots);
      if (tiles) consider(with_tiles(shared, *tiles));
    }
  }
}

std::uint32_t TileSearch::most_slots() const {
  return std::bit_floor(most_tile_slots(planned_machine(choices_)));
}

}  // namespace weft::compiler
