#include "compiler/schedule/schedule_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/product/map_product.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/search/capacity_ladder.h"

namespace weft::compiler {
namespace {

[[noreturn]] void refuse(const Segment& segment, const Obstacle& obstacle,
                         const MachineConfig& config) {
  const std::uint64_t there = usable_rows(config);
  const Misfit& misfit = obstacle.misfit;
  throw ConfigError(fmt::format(
      "unified_buffer.kib = {}: too small for layer {}, which needs {} at once: {} rows or {} "
      "bytes, and there are {} rows or {} bytes; enlarge the buffer",
      config.unified_buffer_kib, segment.layers[obstacle.layer].name, misfit.what, misfit.rows,
      misfit.rows * config.row_bytes(), there, there * config.row_bytes()));
}

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

/// Each search of a short program, on smaller machines too, replays at most this many: enough for
/// some hundred candidates. A batch begins with what a part of it found, and needs fewer.
std::uint64_t most_of_short(const Segment& segment, const MachineConfig& config) {
  constexpr std::uint64_t kAll = most_replayed(SearchEffort::kNormal);
  const std::uint64_t most =
      std::clamp(400 * least_instructions(segment, config, kAll), kAll / 50, kAll / 5);
  return batch_of(segment) > 1 ? most / 4 : most;
}
/// No machine is tried after one that takes more than a tenth longer than the best so far.
constexpr Cycle kTooSlow = 10;
/// Of other programs, those that are searched with so few replayed instructions are also searched
/// on machines with less of one capacity, until these searches have replayed kOneLess.
constexpr std::uint64_t kQuick = most_replayed(SearchEffort::kNormal) / 20;
constexpr std::uint64_t kOneLess = most_replayed(SearchEffort::kNormal) / 5;
/// A network of many programs searches smaller machines for none of them.
bool is_one_of_many(const MappingOptions& options) {
  constexpr std::size_t kMany = 16;
  return options.programs > kMany && options.effort != SearchEffort::kThorough;
}

/// If a program's image does not fit in the buffer, smaller buffers are searched up to this many.
constexpr std::uint64_t kSmallerBuffers = most_replayed(SearchEffort::kNormal);
/// Programs of up to this many layers are also searched for buffers in which their image does not
/// fit, up to kTooSmallBuffers: only there it is cut into bands of lines, which may win here, too.
constexpr std::size_t kFewLayers = 16;
constexpr std::uint64_t kTooSmallBuffers = most_replayed(SearchEffort::kNormal) / 2;

}  // namespace

bool tries_smaller_machines(const Segment& segment, const MachineConfig& config,
                            const MappingOptions& options) {
  if (options.effort == SearchEffort::kNone || is_one_of_many(options)) return false;
  const MachineConfig ample = ample_machine(config);
  constexpr auto kEveryLayer = std::numeric_limits<std::size_t>::max();
  if (least_instructions(segment, ample, kEveryLayer) > kShortProgram) return false;
  ScheduleChoices choices = first_choices(segment, ample, options.form.value_or(0));
  choices.buffer = with_staging(ample, needed_margin(segment), usable_rows(ample) / 4);
  const auto scheduled = schedule_layers(segment, ample, choices);
  const auto* schedule = std::get_if<Schedule>(&scheduled);
  return schedule != nullptr && replay(segment, *schedule, ample).instructions <= kShortProgram;
}

namespace {

/// The best schedule for the machine alone, or what does not fit. Without a search, and if no layer
/// fits beside sheets that stay, its cycles are not known.
std::variant<CostedSchedule, Obstacle> own_schedule(const Segment& segment,
                                                    const MachineConfig& config,
                                                    const MappingOptions& options,
                                                    std::uint64_t most,
                                                    const KnownChoices& known = {}) {
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

using Found = std::variant<CostedSchedule, Obstacle>;

MappingOptions to_the_end(MappingOptions options) {
  options.to_beat.reset();
  return options;
}

/// The searches for one segment, for parts of its batch, and for both on smaller machines. Each is
/// done once. No result depends on the order in which they are asked for.
class Searches {
 public:
  /// For a network on this machine, which must outlive this.
  explicit Searches(const MachineConfig& machine) : machine_(machine) {}

  /// As find_schedule() for part_of_batch(); null if there is none.
  const CostedSchedule* of_part(const Segment& segment, const MachineConfig& config,
                                MappingOptions options);
  /// The best schedule of a short program for the machine alone, without what it leaves empty. Its
  /// batch begins with of_part() there, so this is what schedule_segment() begins with on that
  /// machine.
  const Found& of_short(const Segment& segment, const MachineConfig& config,
                        const MappingOptions& options);

  SharedReplays& replays() { return replays_; }
  bool is_machine(const MachineConfig& config) const { return config == machine_; }

 private:
  struct Known {
    std::int64_t images = 1;
    MachineConfig machine;
    SearchEffort effort;
    Found found;
  };

  template <class Search>
  const Found& once(std::deque<Known>& all, const Segment& segment, const MachineConfig& config,
                    const MappingOptions& options, const Search& search) {
    const std::int64_t images = batch_of(segment);
    const auto known = std::ranges::find_if(all, [&](const Known& each) {
      return each.images == images && each.machine == config && each.effort == options.effort;
    });
    if (known != all.end()) return known->found;
    Found found = search();  // may add others
    return all.emplace_back(Known{images, config, options.effort, std::move(found)}).found;
  }

  const MachineConfig& machine_;
  SharedReplays replays_;
  std::deque<Known> parts_;
  std::deque<Known> short_;
};

/// Searches smaller machines and keeps the schedule with the fewest cycles on the machine itself.
/// The machine itself runs each of these schedules at least as fast as the smaller machine does.
class SmallerMachines {
 public:
  SmallerMachines(const Segment& segment, const MachineConfig& config,
                  const MappingOptions& options, CostedSchedule own,
                  std::optional<std::uint64_t> most, Searches& searches)
      : segment_(segment),
        config_(config),
        options_(options),
        best_(std::move(own)),
        most_(most),
        searches_(searches),
        replays_(searches.replays()) {
    options_.progress = nullptr;
    options_.effort = SearchEffort::kNormal;  // for the smaller machines
    if (!best_.cycles) best_.cycles = replays_.of(segment_, best_.schedule, config_).cycles;
  }

  /// Goes down each ladder alone.
  CostedSchedule best_of_one_less() {
    const CapacityLadders ladders = capacity_ladders(segment_, config_);
    const Capacities own = capacities_of(config_);
    const auto go_down = [&](std::uint32_t Capacities::*which, const auto& values) {
      for (const std::uint32_t value : values) {
        Capacities less = own;
        less.*which = value;
        if (replayed_ >= kOneLess || !search(less)) break;
      }
    };
    go_down(&Capacities::unified_buffer_kib, ladders.unified_buffer_kib);
    go_down(&Capacities::accumulator_rows, ladders.accumulator_rows);
    go_down(&Capacities::weight_fifo_tiles, ladders.weight_fifo_tiles);
    try_slower_memories();
    return std::move(best_);
  }

  /// Goes down the ladder of the unified buffer alone, from the first one of fewer rows than
  /// `below`, until the searches have replayed `most` instructions.
  CostedSchedule best_of_smaller_buffers(std::uint64_t below, std::uint64_t most) {
    Capacities less = capacities_of(config_);
    for (const std::uint32_t kib : capacity_ladders(segment_, config_).unified_buffer_kib) {
      less.unified_buffer_kib = kib;
      if (usable_rows(with_capacities(config_, less)) >= below) continue;
      if (replayed_ >= most || !search(less)) break;
    }
    if (segment_.layers.size() == 1) try_slower_memories();
    return std::move(best_);
  }

  /// Goes down each ladder from each step of the others.
  CostedSchedule best_of_all() {
    const CapacityLadders ladders = capacity_ladders(segment_, config_);
    for (const std::uint32_t tiles : ladders.weight_fifo_tiles) {
      if (!search({config_.unified_buffer_kib, config_.accumulator_rows, tiles})) break;
      for (const std::uint32_t rows : ladders.accumulator_rows) {
        if (!search({config_.unified_buffer_kib, rows, tiles})) break;
        for (const std::uint32_t kib : ladders.unified_buffer_kib) {
          if (!search({kib, rows, tiles})) break;
        }
      }
    }
    try_slower_memories();
    return std::move(best_);
  }

 private:
  /// Halves the rate of one channel after the other, at most twice. A program never takes longer
  /// with a faster memory whose channels serve one stream each, but the search may choose a worse
  /// program. Smaller machines have only their own rates, or each would be searched five times.
  void try_slower_memories() {
    constexpr Cycle kCountable = Cycle{1} << 40U;  // also if it takes four times as long
    if (!searches_.is_machine(config_)) return;
    if (config_.memory_kind != MemoryKind::kSplit || *best_.cycles > kCountable) return;
    for (const auto rate : {&MachineConfig::memory_bytes_per_s, &MachineConfig::host_bytes_per_s}) {
      MachineConfig slower = config_;
      for (int halves = 0; halves < 2 && slower.*rate > 1; ++halves) {
        slower.*rate /= 2;
        if (!search_choices(slower)) break;
      }
    }
  }

  /// Tries the choices for a machine that differs in its rates. False as from search().
  bool search_choices(const MachineConfig& other) {
    const std::uint64_t most = most_ ? std::min(*most_, kOneLess) : most_of_short(segment_, other);
    const auto scheduled =
        own_schedule(segment_, other, to_the_end(options_), most, {.replays = &replays_});
    const auto* found = std::get_if<CostedSchedule>(&scheduled);
    if (found == nullptr || !found->cycles) return false;
    replayed_ += found->replayed;
    auto here = schedule_layers(segment_, config_, *found->choices);
    auto* schedule = std::get_if<Schedule>(&here);
    if (schedule == nullptr) return false;
    const Cycle cycles = replays_.of(segment_, *schedule, config_).cycles;
    if (cycles < *best_.cycles) {
      best_ = {std::move(*schedule), found->choices, cycles, best_.replayed};
    }
    return *found->cycles <= *best_.cycles + *best_.cycles / kTooSlow;
  }

  /// False if machines with even less are to be left out.
  bool search(const Capacities& capacities) {
    if (std::ranges::find(searched_, capacities) != searched_.end()) return true;
    searched_.push_back(capacities);
    const MachineConfig smaller = with_capacities(config_, capacities);
    if (usable_rows(smaller) == 0) return false;
    Found scheduled =
        most_ ? own_schedule(segment_, smaller, options_, *most_, {.replays = &replays_})
              : searches_.of_short(segment_, smaller, options_);
    auto* found = std::get_if<CostedSchedule>(&scheduled);
    if (found == nullptr) return false;
    replayed_ += found->replayed;
    const Cycle there = replays_.of(segment_, found->schedule, smaller).cycles;
    found->cycles = replays_.of(segment_, found->schedule, config_).cycles;
    if (*found->cycles < *best_.cycles) best_ = std::move(*found);
    return there <= *best_.cycles + *best_.cycles / kTooSlow;
  }

  const Segment& segment_;
  const MachineConfig& config_;
  MappingOptions options_;
  CostedSchedule best_;
  const std::optional<std::uint64_t> most_;  // replayed by a search; nullopt: most_of_short()
  Searches& searches_;
  SharedReplays& replays_;
  std::uint64_t replayed_ = 0;
  std::vector<Capacities> searched_ = {capacities_of(config_)};
};

/// True if other options lead to fewer cycles by more than this part of them, so that no smaller
/// machine is worth a search.
bool is_beaten(const CostedSchedule& schedule, const MappingOptions& options, Cycle part) {
  return options.to_beat && schedule.cycles &&
         *schedule.cycles > *options.to_beat + *options.to_beat / part;
}

Found find_schedule(const Segment& segment, const MachineConfig& config,
                    const MappingOptions& options, Searches& searches,
                    const SearchedLike& like = {}) {
  if (const auto product = only_product(segment, config)) {
    return product_schedule(*product, config);
  }
  const bool is_small = tries_smaller_machines(segment, config, options);
  const bool thorough = options.effort == SearchEffort::kThorough;
  const std::uint64_t most = most_replayed(options.effort);
  const auto search = [&]() -> Found {
    // A short program is searched in the same way on every machine, whatever was found before.
    if (is_small && !thorough) return searches.of_short(segment, config, options);
    // The replays of a long program are of no use to another search, and too many to keep.
    return own_schedule(
        segment, config, is_small ? to_the_end(options) : options, most,
        {searches.of_part(segment, config, options), is_small ? SearchedLike{} : like,
         is_small ? &searches.replays() : nullptr});
  };
  Found scheduled = search();
  auto* own = std::get_if<CostedSchedule>(&scheduled);
  if (own == nullptr || is_one_of_many(options)) return scheduled;
  // A batch begins with what one image found.
  const bool is_image = !is_small && own->cycles && batch_of(segment) == 1;
  const bool is_quick = thorough || own->replayed <= kQuick;
  if (is_image && !is_quick && !fits_buffer(segment, own->schedule)) {
    return SmallerMachines(segment, config, to_the_end(options), std::move(*own), most, searches)
        .best_of_smaller_buffers(usable_rows(config), kSmallerBuffers);
  }
  if (is_beaten(*own, options, is_small ? 4 : 50)) return scheduled;
  const bool is_best_so_far = is_image && (!options.to_beat || *own->cycles <= *options.to_beat);
  if (is_best_so_far && !is_quick && segment.layers.size() <= kFewLayers) {
    const std::uint64_t rows = most_live_rows(segment, *own->choices, config);
    return SmallerMachines(segment, config, options, std::move(*own), most, searches)
        .best_of_smaller_buffers(rows, kTooSmallBuffers);
  }
  if (is_small) {
    return SmallerMachines(segment, config, options, std::move(*own), std::nullopt, searches)
        .best_of_all();
  }
  if (!own->cycles || !is_quick) return scheduled;
  const std::uint64_t most_each = thorough ? kOneLess : 3 * own->replayed;
  return SmallerMachines(segment, config, options, std::move(*own), most_each, searches)
      .best_of_one_less();
}

const CostedSchedule* Searches::of_part(const Segment& segment, const MachineConfig& config,
                                        MappingOptions options) {
  const auto part = part_of_batch(segment, options);
  if (!part) return nullptr;
  // A part may take longer for each image than the batch, but hardly twice as long.
  if (options.to_beat) {
    options.to_beat =
        2 * *options.to_beat / static_cast<Cycle>(batch_of(segment) / batch_of(*part));
  }
  const Found& found = once(parts_, *part, config, options,
                            [&] { return find_schedule(*part, config, options, *this); });
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

/// The thorough search begins elsewhere than the normal one and may end in a worse place, so it
/// takes the better of both.
Found find_best(const Segment& segment, const MachineConfig& config, const MappingOptions& options,
                const SearchedLike& like) {
  Searches searches(config);
  auto found = find_schedule(segment, config, options, searches, like);
  if (options.effort != SearchEffort::kThorough) return found;
  MappingOptions normal = options;
  normal.effort = SearchEffort::kNormal;
  auto first = find_schedule(segment, config, normal, searches, like);
  const auto* before = std::get_if<CostedSchedule>(&first);
  const auto* now = std::get_if<CostedSchedule>(&found);
  const bool is_worse = before != nullptr && before->cycles &&
                        (now == nullptr || (now->cycles && *now->cycles > *before->cycles));
  return is_worse ? std::move(first) : std::move(found);
}

}  // namespace

CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config,
                                const MappingOptions& options, const SearchedLike& like) {
  auto found = find_best(segment, config, options, like);
  if (const auto* obstacle = std::get_if<Obstacle>(&found)) refuse(segment, *obstacle, config);
  return std::get<CostedSchedule>(std::move(found));
}

}  // namespace weft::compiler
