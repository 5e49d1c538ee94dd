#include "compiler/schedule/schedule_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/layers/chunks.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/map_product.h"
#include "compiler/schedule/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/schedule_layers.h"

namespace weft::compiler {
namespace {

/// How many rows before their sheet the generators of any layer may begin.
std::int64_t margin_of(const std::vector<Layer>& layers) {
  std::int64_t margin = 0;
  for (const Layer& layer : layers) {
    std::visit(
        [&](const auto& body) {
          if constexpr (requires { body.walk; }) margin = std::max(margin, margin_of(body.walk));
          if constexpr (requires { body.parts; }) {
            for (const auto& part : body.parts) margin = std::max(margin, margin_of(part.walk));
          }
        },
        layer.body);
  }
  return margin;
}

/// The buffer without what stays in it: 1/`share` of its rows are staging.
BufferParts parts_of(const MachineConfig& config, std::uint64_t margin, std::uint64_t share) {
  const std::uint64_t rows = usable_rows(config);
  return {std::min(margin, rows / 2), rows - rows / share, rows};
}

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

/// The schedule of a segment that is one product and nothing else.
Schedule product_schedule(const MatmulSpec& spec, const MachineConfig& config) {
  Schedule schedule;
  schedule.layers.push_back({{map_product(spec, config)}, {}});
  return schedule;
}

// --- Search ---

/// The search ends when it has replayed this many instructions, and takes the best schedule so far.
constexpr std::uint64_t kMostReplayed = 1'000'000;

/// Layers of one shape choose together, so that long networks need few replays.
bool same_shape(const ContractionLayer& a, const ContractionLayer& b) {
  const auto sizes = [](const ContractionLayer& layer) {
    return std::tuple(layer.walk.rows(), layer.walk.taps(), layer.k, layer.n, layer.groups,
                      layer.batch.size());
  };
  return sizes(a) == sizes(b);
}

/// Tries schedules in a fixed order and keeps the one with the fewest cycles.
class ScheduleSearch {
 public:
  ScheduleSearch(const Segment& segment, const MachineConfig& config, bool replays)
      : segment_(segment),
        config_(config),
        margin_(static_cast<std::uint64_t>(margin_of(segment.layers))),
        replayed_(replays ? least_instructions(segment, config, kMostReplayed) : kMostReplayed) {}

  /// nullopt if no layer fits beside sheets that stay.
  std::optional<CostedSchedule> run() {
    const ScheduleChoices simple = {{}, std::vector<std::int64_t>(segment_.layers.size(), 1), {}};
    for (const std::uint64_t share : {4U, 2U, 3U, 8U, 16U, 32U, 64U}) {
      if (best_ && !best_->cycles) break;
      consider_staging(share, simple);
    }
    if (!best_) return std::nullopt;
    choose_groups();
    for (const std::int64_t share : {2, 4}) {
      ScheduleChoices choices = choices_;
      choices.chunk_shares.assign(segment_.layers.size(), share);
      consider(choices);
    }
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) improve_layers_like(i);
    return std::move(best_);
  }

 private:
  bool at_end() const { return best_ && replayed_ >= kMostReplayed; }

  void choose_groups() {
    const std::int64_t images = batch_of(segment_);
    if (images <= 1 || at_end()) return;
    const ImageDivision division(segment_, images);
    const ScheduleChoices whole = choices_;
    for (const ImageGroups& groups : fitting_groups(segment_, division, config_)) {
      ScheduleChoices choices = whole;
      choices.groups = groups;
      for (const std::uint64_t share : {4U, 8U, 16U}) consider_staging(share, choices);
    }
    while (!choices_.groups.sizes.empty() && !at_end()) {
      const ImageGroups before = choices_.groups;
      for (const ImageGroups& groups : neighbors_of(before, division)) {
        ScheduleChoices choices = choices_;
        choices.groups = groups;
        consider(choices);
      }
      if (choices_.groups == before) break;
    }
  }

  void improve_layers_like(std::size_t first) {
    const auto* layer = std::get_if<ContractionLayer>(&segment_.layers[first].body);
    if (layer == nullptr) return;
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      const auto* other = std::get_if<ContractionLayer>(&segment_.layers[i].body);
      if (other == nullptr || !same_shape(*layer, *other)) continue;
      if (i < first) return;
      alike.push_back(i);
    }
    const std::int64_t now = choices_.chunk_shares[first];
    for (const std::int64_t share : {1, 2, 4}) {
      if (share == now) continue;
      ScheduleChoices choices = choices_;
      for (const std::size_t i : alike) choices.chunk_shares[i] = share;
      consider(choices);
    }
  }

  /// The choices with 1/`share` of the buffer as staging.
  void consider_staging(std::uint64_t share, ScheduleChoices choices) {
    choices.buffer = parts_of(config_, margin_, share);
    consider(choices);
  }

  void consider(const ScheduleChoices& choices) {
    if (at_end()) return;
    auto scheduled = schedule_layers(segment_, config_, choices);
    auto* schedule = std::get_if<Schedule>(&scheduled);
    if (schedule == nullptr) return;
    CostedSchedule candidate{std::move(*schedule), std::nullopt};
    if (replayed_ < kMostReplayed) {
      if (best_ && candidate.schedule == best_->schedule) return;
      const Replay cost = replay(segment_, candidate.schedule, config_);
      replayed_ += cost.instructions;
      candidate.cycles = cost.cycles;
    }
    if (best_ && *candidate.cycles >= *best_->cycles) return;
    best_ = std::move(candidate);
    choices_ = choices;
  }

  const Segment& segment_;
  const MachineConfig& config_;
  const std::uint64_t margin_;
  std::uint64_t replayed_;  // instructions
  std::optional<CostedSchedule> best_;
  ScheduleChoices choices_;  // of the best
};

}  // namespace

CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config, bool replays) {
  if (const auto product = only_product(segment, config)) {
    return {product_schedule(*product, config), std::nullopt};
  }
  if (auto found = ScheduleSearch(segment, config, replays).run()) return std::move(*found);
  const ScheduleChoices staged = {
      staging_only(config), std::vector<std::int64_t>(segment.layers.size(), 1), {}};
  auto scheduled = schedule_layers(segment, config, staged);
  if (const auto* obstacle = std::get_if<Obstacle>(&scheduled)) refuse(segment, *obstacle, config);
  return {std::move(std::get<Schedule>(scheduled)), std::nullopt};
}

}  // namespace weft::compiler
