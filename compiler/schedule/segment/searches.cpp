#include "compiler/schedule/segment/searches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/product/map_product.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/search/capacity_ladder.h"
#include "compiler/schedule/segment/smaller_machines.h"

namespace weft::compiler {
namespace {

/// The schedule of a segment that is one product and nothing else. Only products of too many
/// instructions have no cycles.
CostedSchedule product_schedule(const MatmulSpec& spec, const MachineConfig& config) {
  CostedSchedule costed;
  const TilingPlan plan = map_product(spec, config);
  std::uint64_t left = most_replayed(SearchEffort::kNormal);
  costed.cycles = cycles_of(plan, config, left);
  costed.schedule.layers.push_back({{plan}, {}});
  return costed;
}

/// Programs that are searched with so few replayed instructions are also searched on machines with
/// less of one capacity, even if they are not short.
constexpr std::uint64_t kQuick = most_replayed(SearchEffort::kNormal) / 20;
/// If a program's image does not fit in the buffer, smaller buffers are searched up to this many.
constexpr std::uint64_t kSmallerBuffers = most_replayed(SearchEffort::kNormal);
/// Programs of up to this many layers are also searched for buffers in which their image does not
/// fit, up to kTooSmallBuffers: only there it is cut into bands of lines, which may win here, too.
constexpr std::size_t kFewLayers = 16;
constexpr std::uint64_t kTooSmallBuffers = most_replayed(SearchEffort::kNormal) / 2;

/// True if other options lead to fewer cycles by more than this part of them, so that no smaller
/// machine is worth a search.
bool is_beaten(const CostedSchedule& schedule, const MappingOptions& options, Cycle part) {
  return options.to_beat && schedule.cycles &&
         *schedule.cycles > *options.to_beat + *options.to_beat / part;
}

}  // namespace

Found own_schedule(const Segment& segment, const MachineConfig& config,
                   const MappingOptions& options, std::uint64_t most, const KnownChoices& known) {
  if (auto found = search_schedules(segment, config, options, most, known)) {
    return std::move(*found);
  }
  ScheduleChoices staged = first_choices(segment, config, options.form.value_or(0));
  staged.buffer = staging_only(config);
  auto scheduled = schedule_layers(segment, config, staged);
  if (const auto* obstacle = std::get_if<Obstacle>(&scheduled)) return *obstacle;
  return CostedSchedule{std::move(std::get<Schedule>(scheduled)), std::move(staged), std::nullopt,
                        0};
}

MappingOptions to_the_end(MappingOptions options) {
  options.to_beat.reset();
  return options;
}

std::uint64_t most_of_short(const Segment& segment, const MachineConfig& config) {
  constexpr std::uint64_t kAll = most_replayed(SearchEffort::kNormal);
  const std::uint64_t most =
      std::clamp(400 * least_instructions(segment, config, kAll), kAll / 50, kAll / 5);
  return batch_of(segment) > 1 ? most / 4 : most;
}

Found Searches::find(const Segment& segment, const MachineConfig& config,
                     const MappingOptions& options, const FoundChoices* like) {
  if (const auto product = only_product(segment, config)) {
    return product_schedule(*product, config);
  }
  const bool is_small = tries_smaller_machines(segment, config, options);
  const bool thorough = options.effort == SearchEffort::kThorough;
  const std::uint64_t most = most_replayed(options.effort);
  const FoundChoices* known = is_small ? nullptr : like;
  const auto search = [&]() -> Found {
    // A short program is searched in the same way on every machine, whatever was found before.
    if (is_small && !thorough) return of_short(segment, config, options);
    // The replays of a long program are of no use to another search, and too many to keep.
    return own_schedule(
        segment, config, is_small ? to_the_end(options) : options, most,
        {of_part(segment, config, options, known), known, is_small ? &replays_ : nullptr});
  };
  Found scheduled = search();
  auto* own = std::get_if<CostedSchedule>(&scheduled);
  if (own == nullptr || is_one_of_many(options)) return scheduled;
  // A batch begins with what one image found.
  const bool is_image = !is_small && own->cycles && batch_of(segment) == 1;
  const bool is_quick = thorough || own->replayed <= kQuick;
  if (is_image && !is_quick && !fits_buffer(segment, own->schedule)) {
    return SmallerMachines(segment, config, to_the_end(options), std::move(*own), most, *this)
        .best_of_smaller_buffers(usable_rows(config), kSmallerBuffers);
  }
  if (is_beaten(*own, options, is_small ? 4 : 50)) return scheduled;
  const bool is_best_so_far = is_image && (!options.to_beat || *own->cycles <= *options.to_beat);
  if (is_best_so_far && !is_quick && segment.layers.size() <= kFewLayers) {
    const std::uint64_t rows = most_live_rows(segment, *own->choices, config);
    return SmallerMachines(segment, config, options, std::move(*own), most, *this)
        .best_of_smaller_buffers(rows, kTooSmallBuffers);
  }
  if (is_small) {
    return SmallerMachines(segment, config, options, std::move(*own), std::nullopt, *this)
        .best_of_all();
  }
  if (!own->cycles || !is_quick) return scheduled;
  const std::uint64_t most_each = thorough ? kOneLess : 3 * own->replayed;
  return SmallerMachines(segment, config, options, std::move(*own), most_each, *this)
      .best_of_one_less();
}

const CostedSchedule* Searches::of_part(const Segment& segment, const MachineConfig& config,
                                        MappingOptions options, const FoundChoices* like) {
  const auto part = part_of_batch(segment, options);
  if (!part) return nullptr;
  // A part may take longer for each image than the batch, but hardly twice as long.
  if (options.to_beat) {
    options.to_beat =
        2 * *options.to_beat / static_cast<Cycle>(batch_of(segment) / batch_of(*part));
  }
  const FoundChoices* likes_part = like == nullptr ? nullptr : like->of_part.get();
  const Found& found = once(parts_, *part, config, options,
                            [&] { return find(*part, config, options, likes_part); });
  const auto* schedule = std::get_if<CostedSchedule>(&found);
  return schedule != nullptr && schedule->choices ? schedule : nullptr;
}

const Found& Searches::of_short(const Segment& segment, const MachineConfig& config,
                                const MappingOptions& options) {
  const auto search_on = [&](const MachineConfig& machine) -> const Found& {
    return once(short_, segment, machine, options, [&] {
      return own_schedule(segment, machine, to_the_end(options), most_of_short(segment, machine),
                          {.of_part = of_part(segment, machine, options), .replays = &replays_});
    });
  };
  const Found& found = search_on(without_excess(segment, config));
  return std::holds_alternative<Obstacle>(found) ? search_on(config) : found;
}

}  // namespace weft::compiler
