#include "compiler/schedule/schedule_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/constant_rows.h"
#include "compiler/blocks/staging.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/mapping/map_contraction.h"
#include "compiler/mapping/map_lanes.h"
#include "compiler/schedule/map_product.h"
#include "compiler/schedule/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/staying_rows.h"

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

/// A layer for which the rows of the unified buffer do not suffice.
struct Obstacle {
  std::size_t layer = 0;
  Misfit misfit;
};

/// For each layer one over the part of the accumulators that a chunk of it may take.
using ChunkShares = std::vector<std::int64_t>;

/// Schedules the layers one after the other, for one division of the unified buffer.
class Scheduler {
 public:
  Scheduler(const Segment& segment, const MachineConfig& config, const BufferParts& parts,
            const ChunkShares& shares)
      : segment_(segment),
        config_(config),
        shares_(shares),
        places_(config, segment.sheets, parts),
        rows_(parts.margin, parts.staging) {
    schedule_.buffer = parts;
    schedule_.sheets.resize(segment.sheets.size());
  }

  std::variant<Schedule, Obstacle> run() {
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      if (auto misfit = add(i)) return Obstacle{i, std::move(*misfit)};
    }
    return std::move(schedule_);
  }

 private:
  std::optional<Misfit> add(std::size_t layer) {
    const LayerBody& body = segment_.layers[layer].body;
    schedule_.layers.emplace_back();
    for_each_input_sheet(body, [&](std::size_t sheet) { place(sheet, layer); });
    // A wide sheet only passes through on its way to the host.
    const std::size_t out = result_view(body).sheet;
    if (!segment_.sheets[out].wide) place(out, layer);
    place_constants(body);
    auto misfit = std::visit([&](const auto& each) { return map(each); }, body);
    if (!misfit && begins_too_early(body)) misfit.emplace();
    for (const auto& base : schedule_.layers.back().constants) {
      if (base) rows_.release(*base);
    }
    release_after(layer);
    return misfit;
  }

  void place(std::size_t sheet, std::size_t layer) {
    if (places_.resident(sheet)) return;
    const auto base = rows_.take(places_.total_rows(sheet));
    if (!base) return;
    places_.place(sheet, *base);
    schedule_.sheets[sheet] = SheetStay{layer, *base};
  }

  void release_after(std::size_t layer) {
    for (std::size_t sheet = 0; sheet < segment_.sheets.size(); ++sheet) {
      if (!places_.resident(sheet) || segment_.sheets[sheet].last_use > layer) continue;
      rows_.release(places_.base(sheet));
      places_.remove(sheet);
    }
  }

  void place_constants(const LayerBody& body) {
    constants_.clear();
    for (const ConstantRows& constant : constants_of(body, config_)) {
      const auto base = rows_.take(constant.rows());
      constants_.push_back({constant, base});
      schedule_.layers.back().constants.push_back(base);
    }
  }

  // --- Mappings ---

  std::optional<Misfit> keep(std::variant<Mapping, Misfit> mapped) {
    if (auto* misfit = std::get_if<Misfit>(&mapped)) return std::move(*misfit);
    schedule_.layers.back().mappings.push_back(std::get<Mapping>(mapped));
    return std::nullopt;
  }

  std::optional<Misfit> map(const ContractionLayer& layer) {
    return keep(map_contraction(layer, ContractionBlocks(layer, places_, constants_), places_,
                                shares_[schedule_.layers.size() - 1]));
  }
  std::optional<Misfit> map(const WindowLayer& layer) {
    return map_channels(layer, layer.channels, constants_);
  }
  std::optional<Misfit> map(const ElementwiseLayer& layer) {
    return map_channels(layer, layer.channels, constants_);
  }
  std::optional<Misfit> map(const ConcatLayer& layer) {
    std::span<const PlacedConstant> left = constants_;
    for (const ElementwiseLayer& part : layer.parts) {
      const std::size_t count = constant_count(part.steps);
      if (auto misfit = map_channels(part, part.channels, left.first(count))) return misfit;
      left = left.subspan(count);
    }
    return std::nullopt;
  }
  // The others work on whole rows.
  template <class Layer>
  std::optional<Misfit> map(const Layer& layer) {
    return map_channels(layer, 1, constants_);
  }

  template <class Layer>
  std::optional<Misfit> map_channels(const Layer& layer, std::int64_t channels,
                                     std::span<const PlacedConstant> constants) {
    return keep(map_lanes(layer.walk, channels, places_,
                          [&](const Chunk& chunk, const ChannelRange& range) {
                            return staged(layer, chunk, range, places_, constants);
                          }));
  }

  /// True if the border of a resident image lies before the unified buffer, because the margin is
  /// smaller than the border.
  bool begins_too_early(const LayerBody& body) const {
    return std::visit(
        [&](const auto& layer) {
          if constexpr (requires { layer.a; }) {
            if (!places_.resident(layer.a.sheet)) return false;
            return first_row(layer) < margin_of(layer.walk);
          }
          return false;
        },
        body);
  }
  std::int64_t first_row(const ContractionLayer& layer) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const BatchOffset& product : layer.batch) {
      const std::int64_t plane = (layer.a.channel + product.a_channel) / config_.array_rows;
      first = std::min(first, places_.whole(layer.a.sheet).at(plane, layer.a.row + product.a_row));
    }
    return first;
  }
  template <class Layer>
  std::int64_t first_row(const Layer& layer) const {
    return places_.whole(layer.a.sheet).at(layer.a.channel / config_.array_rows, layer.a.row);
  }

  const Segment& segment_;
  const MachineConfig& config_;
  const ChunkShares& shares_;
  Places places_;
  StayingRows rows_;
  std::vector<PlacedConstant> constants_;  // of the layer
  Schedule schedule_;
};

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
    const ChunkShares whole(segment_.layers.size(), 1);
    for (const std::uint64_t staging : {4U, 2U, 3U, 8U, 16U, 32U, 64U}) {
      if (best_ && !best_->cycles) break;
      consider(staging, whole);
    }
    if (!best_) return std::nullopt;
    for (const std::int64_t share : {2, 4}) consider(staging_, ChunkShares(whole.size(), share));
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) improve_layers_like(i);
    return std::move(best_);
  }

 private:
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
    const std::int64_t now = shares_[first];
    for (const std::int64_t share : {1, 2, 4}) {
      if (share == now) continue;
      ChunkShares shares = shares_;
      for (const std::size_t i : alike) shares[i] = share;
      consider(staging_, shares);
    }
  }

  void consider(std::uint64_t staging, const ChunkShares& shares) {
    if (best_ && replayed_ >= kMostReplayed) return;
    const BufferParts parts = parts_of(config_, margin_, staging);
    auto scheduled = Scheduler(segment_, config_, parts, shares).run();
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
    staging_ = staging;
    shares_ = shares;
  }

  const Segment& segment_;
  const MachineConfig& config_;
  const std::uint64_t margin_;
  std::uint64_t replayed_;  // instructions
  std::optional<CostedSchedule> best_;
  std::uint64_t staging_ = 0;  // of the best: one over the buffer's part that is staging
  ChunkShares shares_;
};

}  // namespace

CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config, bool replays) {
  if (const auto product = only_product(segment, config)) {
    return {product_schedule(*product, config), std::nullopt};
  }
  if (auto found = ScheduleSearch(segment, config, replays).run()) return std::move(*found);
  const ChunkShares whole(segment.layers.size(), 1);
  auto scheduled = Scheduler(segment, config, staging_only(config), whole).run();
  if (const auto* obstacle = std::get_if<Obstacle>(&scheduled)) refuse(segment, *obstacle, config);
  return {std::move(std::get<Schedule>(scheduled)), std::nullopt};
}

}  // namespace weft::compiler
