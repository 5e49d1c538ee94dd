#include "compiler/schedule/search/tile_search.h"

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/search/buffered_tiles.h"

namespace weft::compiler {
namespace {

/// Whether more slots are worth a replay for tiles that come through the buffer in one way.
class SlotTrend {
 public:
  bool is_over() const { return is_over_; }
  /// `cycles` with the next number of slots; nullopt: hopelessly many. `best`: of all ways.
  void add(std::optional<Cycle> cycles, Cycle best) {
    const Cycle now = cycles.value_or(kAnyCycles);
    const bool is_far = now / 6 > best / 5;
    is_over_ = last_ && (now == *last_ || (is_far && now / 19 > *last_ / 20));
    last_ = now;
  }

 private:
  std::optional<Cycle> last_;
  bool is_over_ = false;
};

}  // namespace

void TileSearch::choose_tiles(bool coarse) {
  const Schedule schedule = best_->schedule;
  const ScheduleChoices whole = choices_;
  with_slots_.reset();
  std::optional<Cycle> least;
  for (const Fit fit : {whole.fit, other(whole.fit)}) {
    ScheduleChoices choices = whole;
    choices.fit = fit;
    std::array<SlotTrend, kTileWays> trends;
    for (const TileChoice& each : tile_choices(segment_, schedule, config_, most_slots(), coarse)) {
      SlotTrend& trend = trends[static_cast<std::size_t>(each.way)];
      if (trend.is_over() || at_end()) continue;
      const ScheduleChoices with = with_tiles(choices, each);
      const auto cycles = consider(with, least_for(each.slots));
      trend.add(cycles, *best_->cycles);
      if (!cycles || (least && *cycles >= *least)) continue;
      least = cycles;
      with_slots_ = with;
    }
    // A load waits until its rows were read for the last time. It holds up the loads of tiles that
    // come after it.
    // First fit uses rows again sooner than next fit does.
    if (choices_.buffer.tile_slots > 0 || !is_split()) return;
  }
}

void TileSearch::pace_tiles() {
  if (!is_split()) return;
  if (choices_.buffer.tile_slots > 0) with_slots_ = choices_;
  if (!with_slots_) return;
  const ScheduleChoices base = *with_slots_;
  const Schedule schedule = best_->schedule;
  for (const TileChoice& each :
       paced_choices(segment_, schedule, config_, base.buffer.tile_slots)) {
    consider(with_tiles(base, each), least_for(each.slots));
  }
}

void TileSearch::consider_balanced_tiles(const ScheduleChoices& choices) {
  if (choices.buffer.tile_slots == 0 || !is_split()) return;
  auto scheduled = schedule_layers(segment_, config_, choices);
  const auto* schedule = std::get_if<Schedule>(&scheduled);
  if (schedule == nullptr) return;
  const auto tiles = balanced_choice(segment_, *schedule, config_, choices.buffer.tile_slots);
  if (tiles && tiles->tiles != choices.buffered_tiles) consider(with_tiles(choices, *tiles));
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
