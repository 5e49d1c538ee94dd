#include "compiler/schedule/search/buffered_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "compiler/layers/layer_parts.h"
#include "compiler/layers/line_bands.h"
#include "compiler/rows/ceil_div.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/array_work.h"

namespace weft::compiler {
namespace {

/// Rows that the vector unit takes for a layer, at least.
double vector_rows(const LayerBody& body, const MachineConfig& config) {
  const auto rows = [&](const RowWalk& walk, std::int64_t channels, std::size_t passes) {
    return static_cast<double>(walk.rows() * ceil_div(channels, std::int64_t{config.array_cols})) *
           static_cast<double>(passes);
  };
  if (const auto* layer = std::get_if<ContractionLayer>(&body)) {
    return rows(layer->walk, layer->n, layer->batch.size());
  }
  if (const auto* layer = std::get_if<WindowLayer>(&body)) {
    return rows(layer->walk, layer->channels, static_cast<std::size_t>(layer->walk.taps()));
  }
  if (const auto* layer = std::get_if<ElementwiseLayer>(&body)) {
    return rows(layer->walk, layer->channels, layer->steps.size());
  }
  if (const auto* layer = std::get_if<SoftmaxLayer>(&body)) {
    return rows(layer->walk, layer->channels, 4 + layer->steps.size());
  }
  if (const auto* layer = std::get_if<NormalizationLayer>(&body)) {
    return rows(layer->walk, layer->channels, 6);
  }
  return 0;
}

/// Goes through the parts of a schedule in order, and keeps count of what the host link could have
/// brought meanwhile.
class ChannelBalance {
 public:
  ChannelBalance(const MachineConfig& config, std::uint32_t slots, double host_part)
      : memory_(bytes_a_cycle(config.memory_bytes_per_s, config)),
        host_(bytes_a_cycle(config.host_bytes_per_s, config) * host_part),
        most_ahead_(static_cast<double>(slots) * static_cast<double>(config.tile_bytes())) {}

  /// The part of `weights` bytes that comes through the host link, for a part of a layer that
  /// otherwise takes `cycles`. Tiles are whole in weight memory, and `filled` of their rows come
  /// through the host link.
  double add(double weights, double filled, double cycles) {
    double through_host = 0;
    if (weights > cycles * memory_) {
      // Both channels are at work until the last byte:
      //   weights = (ahead + time * host) / filled + time * memory
      cycles = std::max(cycles, (weights - ahead_ / filled) / (host_ / filled + memory_));
      through_host = weights - cycles * memory_;
    }
    ahead_ = std::clamp(ahead_ + cycles * host_ - through_host * filled, 0.0, most_ahead_);
    return through_host;
  }

 private:
  static double bytes_a_cycle(std::uint64_t bytes_per_s, const MachineConfig& config) {
    return static_cast<double>(bytes_per_s) / static_cast<double>(config.clock_hz);
  }

  const double memory_;  // bytes a cycle
  const double host_;
  const double most_ahead_;  // bytes
  double ahead_ = 0;         // bytes of later parts that may have arrived
};

using BufferedTiles = std::vector<std::uint32_t>;

/// How fast a program is, beside the closed form.
struct ChannelPace {
  double layers = 1;  // times as long as its array or vector unit works
  double host = 1;    // part of the host link that is free for weights
};

/// The share with which the nearest number of a layer's tiles comes through the buffer.
std::uint32_t share_of(double part, double tiles) {
  if (tiles >= kTileShares) return static_cast<std::uint32_t>(std::lround(kTileShares * part));
  return static_cast<std::uint32_t>(std::ceil(kTileShares * std::round(tiles * part) / tiles));
}

/// What both channels of split memories can bring in time.
BufferedTiles balanced_tiles(const Segment& segment, const Schedule& schedule,
                             const MachineConfig& config, std::uint32_t slots,
                             const ChannelPace& pace) {
  const PartedSegment parts = in_parts(segment, schedule);
  std::vector<double> all(segment.layers.size());
  std::vector<double> through_host(segment.layers.size());
  std::vector<double> most_tiles(segment.layers.size());  // of a part
  ChannelBalance balance(config, slots, pace.host);
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    const LayerBody& body = parts.segment.layers[i].body;
    ArrayWork work;
    double filled = 1;
    if (const auto* layer = std::get_if<ContractionLayer>(&body)) {
      work = array_work(*layer, schedule.layers[i].mappings.front(), config);
      const std::int64_t rows = config.array_rows;
      filled = static_cast<double>(layer->k) / static_cast<double>(ceil_div(layer->k, rows) * rows);
    }
    const std::size_t layer = parts.layers[i].layer;
    all[layer] += work.weight_bytes;
    most_tiles[layer] = std::max(most_tiles[layer], work.tiles);
    through_host[layer] += balance.add(
        work.weight_bytes, filled, pace.layers * std::max(work.cycles, vector_rows(body, config)));
  }
  BufferedTiles tiles(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] > 0) tiles[i] = share_of(through_host[i] / all[i], most_tiles[i]);
  }
  return tiles;
}

/// So many that tiles which stay in the buffer save cycles without a doubt.
constexpr std::size_t kManyLayers = 8;

/// A matrix of weights, from its first use to its last one.
struct WeightUse {
  std::size_t first = 0;  // parts of the schedule
  std::size_t last = 0;
  double tiles = 0;    // at most one part has
  double fetches = 0;  // of all parts
  std::set<std::size_t> layers;
};

/// Which matrices count as reused. kByAny: those that are fetched at least twice. kByManyLayers:
/// those of at least kManyLayers layers.
enum class Reuse : std::uint8_t { kByAny, kByManyLayers };

/// Layers with one constant have one matrix, and each other layer has its own.
class WeightUses {
 public:
  WeightUses(const PartedSegment& parts, const Schedule& schedule, const MachineConfig& config,
             Reuse reuse)
      : reuse_(reuse) {
    for (std::size_t i = 0; i < parts.layers.size(); ++i) {
      const auto* layer = std::get_if<ContractionLayer>(&parts.segment.layers[i].body);
      if (layer == nullptr) continue;
      const auto* weights = std::get_if<ConstantWeights>(&layer->weights);
      if (weights == nullptr) continue;
      const bool shared = weights->constant != graph::kNoValue;
      const std::pair key(shared, shared ? weights->constant : parts.layers[i].layer);
      const auto [use, is_new] = uses_.try_emplace(key);
      if (is_new) use->second.first = i;
      add(array_work(*layer, schedule.layers[i].mappings.front(), config), i, use->second);
      use->second.layers.insert(parts.layers[i].layer);
      of_layers_[parts.layers[i].layer] = &use->second;
    }
    count_at_once(parts.layers.size());
  }

  /// The part of a layer's tiles that stays in the slots, if its matrix is reused; else 0. From the
  /// first use of the matrix to its last one, the slots also hold those of other reused matrices.
  double staying_part(std::size_t layer, std::uint32_t slots) const {
    const auto found = of_layers_.find(layer);
    if (found == of_layers_.end() || !is_reused(*found->second)) return 0;
    const WeightUse& use = *found->second;
    double most = 1;
    for (std::size_t part = use.first; part <= use.last; ++part) {
      most = std::max(most, at_once_[part]);
    }
    return std::min(1.0, slots / most);
  }

 private:
  /// Counts the tiles of reused matrices between their first and last use, part by part.
  void count_at_once(std::size_t parts) {
    at_once_.assign(parts + 1, 0);
    for (const auto& [key, use] : uses_) {
      if (!is_reused(use)) continue;
      at_once_[use.first] += use.tiles;
      at_once_[use.last + 1] -= use.tiles;
    }
    std::partial_sum(at_once_.begin(), at_once_.end(), at_once_.begin());
  }

  bool is_reused(const WeightUse& use) const {
    return reuse_ == Reuse::kByAny ? use.fetches >= 2 * use.tiles
                                   : use.layers.size() >= kManyLayers;
  }

  static void add(const ArrayWork& work, std::size_t part, WeightUse& use) {
    use.last = part;
    use.tiles = std::max(use.tiles, work.tiles);
    use.fetches += work.fetches;
  }

  const Reuse reuse_;
  std::map<std::pair<bool, std::size_t>, WeightUse> uses_;
  std::map<std::size_t, const WeightUse*> of_layers_;
  std::vector<double> at_once_;  // by part
};

/// As many tiles of reused matrices as stay in the slots.
BufferedTiles reused_tiles(const Segment& segment, const Schedule& schedule,
                           const MachineConfig& config, std::uint32_t slots, Reuse reuse) {
  const PartedSegment parts = in_parts(segment, schedule);
  const WeightUses uses(parts, schedule, config, reuse);
  BufferedTiles tiles(segment.layers.size());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    tiles[i] = static_cast<std::uint32_t>(kTileShares * uses.staying_part(i, slots));
  }
  return tiles;
}

/// The first where it has tiles, else the second.
BufferedTiles either(BufferedTiles first, const BufferedTiles& second) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == 0) first[i] = second[i];
  }
  return first;
}

bool is_split(const MachineConfig& config) {
  return config.memory_kind == MemoryKind::kSplit;
}

/// All tiles of constant weights.
BufferedTiles all_tiles(const Segment& segment) {
  BufferedTiles tiles;
  for (const Layer& layer : segment.layers) {
    tiles.push_back(has_constant_weights(layer) ? kTileShares : 0);
  }
  return tiles;
}

bool has_tiles(const BufferedTiles& tiles) {
  return std::ranges::any_of(tiles, [](std::uint32_t share) { return share > 0; });
}

void add(std::vector<TileChoice>& all, TileWay way, std::uint32_t slots, BufferedTiles tiles) {
  if (has_tiles(tiles)) all.push_back({way, slots, std::move(tiles)});
}

}  // namespace

bool repeats_weights(const Segment& segment) {
  std::map<std::size_t, std::size_t> layers;
  for (const Layer& layer : segment.layers) {
    const auto* contraction = std::get_if<ContractionLayer>(&layer.body);
    if (contraction == nullptr) continue;
    const auto* weights = std::get_if<ConstantWeights>(&contraction->weights);
    if (weights != nullptr && weights->constant != graph::kNoValue) ++layers[weights->constant];
  }
  return std::ranges::any_of(layers, [](const auto& each) { return each.second >= kManyLayers; });
}

std::vector<TileChoice> tile_choices(const Segment& segment, const Schedule& schedule,
                                     const MachineConfig& config, std::uint32_t most, bool coarse) {
  std::vector<TileChoice> all;
  if (config.memory_kind == MemoryKind::kIdeal) return all;
  for (std::uint32_t slots = 2; slots <= most; slots *= coarse ? 4 : 2) {
    const BufferedTiles reused = reused_tiles(segment, schedule, config, slots, Reuse::kByAny);
    add(all, TileWay::kReused, slots, reused);
    add(all, TileWay::kAll, slots, all_tiles(segment));
    if (!is_split(config)) continue;
    const BufferedTiles balanced = balanced_tiles(segment, schedule, config, slots, {});
    add(all, TileWay::kBalanced, slots, balanced);
    BufferedTiles mixed = either(reused, balanced);
    if (mixed != balanced) add(all, TileWay::kReusedOrBalanced, slots, std::move(mixed));
  }
  return all;
}

std::vector<TileChoice> paced_choices(const Segment& segment, const Schedule& schedule,
                                      const MachineConfig& config, std::uint32_t slots) {
  std::vector<TileChoice> all;
  const BufferedTiles reused = reused_tiles(segment, schedule, config, slots, Reuse::kByAny);
  for (const double layers : {1.0, 1.25, 1.5, 2.0}) {
    for (const double host : {1.0, 0.9, 0.8, 0.65}) {
      const BufferedTiles tiles = balanced_tiles(segment, schedule, config, slots, {layers, host});
      add(all, TileWay::kBalanced, slots, tiles);
      BufferedTiles mixed = either(reused, tiles);
      if (mixed != tiles) add(all, TileWay::kReusedOrBalanced, slots, std::move(mixed));
    }
  }
  return all;
}

std::optional<TileChoice> balanced_choice(const Segment& segment, const Schedule& schedule,
                                          const MachineConfig& config, std::uint32_t slots) {
  BufferedTiles tiles = balanced_tiles(segment, schedule, config, slots, {});
  if (!has_tiles(tiles)) return std::nullopt;
  return TileChoice{TileWay::kBalanced, slots, std::move(tiles)};
}

std::optional<TileChoice> estimated_tiles(const Segment& segment, const Schedule& schedule,
                                          const MachineConfig& config, std::uint32_t most) {
  if (config.memory_kind == MemoryKind::kIdeal || most < 2) return std::nullopt;
  BufferedTiles tiles = reused_tiles(segment, schedule, config, most, Reuse::kByManyLayers);
  std::uint32_t slots = most;
  if (is_split(config)) {
    constexpr std::uint32_t kSlots = 32;  // enough to work ahead, with room for sheets
    if (!has_tiles(tiles)) slots = std::min(kSlots, most);
    tiles = either(tiles, balanced_tiles(segment, schedule, config, slots, {}));
  }
  if (!has_tiles(tiles)) return std::nullopt;
  return TileChoice{TileWay::kReusedOrBalanced, slots, std::move(tiles)};
}

}  // namespace weft::compiler
