#include "compiler/mapping/map_contraction.h"

#include <algorithm>
#include <optional>

#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

/// One step: rows of the result, tiles of its columns, and planes of the operand.
struct ContractionStep {
  std::int64_t rows = 0;
  std::int64_t tiles = 0;
  std::int64_t planes = 0;
};

class StepChoice {
 public:
  StepChoice(const ContractionLayer& layer, const ContractionBlocks& blocks, const Places& places,
             std::int64_t most_rows)
      : layer_(layer),
        blocks_(blocks),
        config_(places.config()),
        room_(places.parts().staging_rows()),
        accumulator_rows_(sum_rows(layer, places.config())),
        most_rows_(most_rows),
        n_tiles_(blocks.n_tiles()),
        k_planes_(blocks.most_planes()),
        folds_(static_cast<double>(blocks.folds(layer.batch.front()))) {}

  /// nullopt if not even one row of one tile fits.
  std::optional<ContractionStep> choose() const {
    const auto most = std::min(accumulator_rows_, layer_.walk.rows());
    if (most < 1) return std::nullopt;
    if (most_rows_ > 0) {
      const std::int64_t limit = std::min(most_rows_, most);
      if (fits({limit, n_tiles_, k_planes_})) return ContractionStep{limit, n_tiles_, k_planes_};
      // Half the rows would push each tile twice as often, so fewer columns come first.
      const auto small = small_step(limit);
      const bool cuts_rows = small && small->rows < limit;
      const auto wide = cuts_rows ? widest_step(limit) : std::nullopt;
      return wide ? wide : small;
    }
    ContractionStep best;
    double best_cost = 0;
    for (std::int64_t parts = 1; parts <= 64 && parts <= most; ++parts) {
      const auto step = widest_step(most / parts);
      if (!step) continue;
      const double cycles = cost(*step);
      if (best.rows == 0 || cycles < best_cost * 0.999) {
        best = *step;
        best_cost = cycles;
      }
    }
    if (best.rows == 0) return small_step(most);
    return best;
  }

  Misfit misfit() const {
    return {largest_need({1, 1, 1}), "one row of one tile of the result with its inputs"};
  }

 private:
  /// The step of `limit` rows with as many columns as fit, halved until they do.
  std::optional<ContractionStep> widest_step(std::int64_t limit) const {
    for (std::int64_t tiles = n_tiles_;; tiles = ceil_div(tiles, 2)) {
      const ContractionStep step{limit, tiles, k_planes_};
      if (fits(step)) return step;
      if (tiles == 1) return std::nullopt;
    }
  }

  /// Estimated cycles of the array, and of the loads that come again because a step does not take
  /// all columns. A fold costs its rows, the R pushes or the fetch, whichever is longest. With one
  /// accumulator region each use also waits until the vector unit has drained it.
  double cost(const ContractionStep& step) const {
    const std::int64_t limit = step.rows;
    const auto chunks = static_cast<double>(Chunks(layer_.walk, limit).size());
    const double rows = static_cast<double>(layer_.walk.rows()) / chunks;
    const double uses = chunks * static_cast<double>(n_tiles_);
    const double fold = std::max({rows, static_cast<double>(config_.array_rows), fetch_cycles()});
    const bool waits = 2 * limit > accumulator_rows_ && uses > 1;
    const double drain = rows + static_cast<double>(config_.array_rows + config_.array_cols);
    return uses * (folds_ * fold + (waits ? drain : 0)) + again(step);
  }

  /// Cycles, at a row each, of loads of the operand for further columns.
  double again(const ContractionStep& step) const {
    const std::int64_t times = ceil_div(n_tiles_, step.tiles) - 1;
    if (times == 0) return 0;
    const Chunks chunks(layer_.walk, step.rows);
    return static_cast<double>(times) * static_cast<double>(chunks.size()) *
           static_cast<double>(blocks_.input_need(layer_.batch.front(), chunks[0], k_planes_));
  }

  double fetch_cycles() const {
    const bool computed = std::holds_alternative<ComputedWeights>(layer_.weights);
    if (config_.memory_kind == MemoryKind::kIdeal || computed) return 0;
    return static_cast<double>(config_.tile_bytes()) * static_cast<double>(config_.clock_hz) /
           static_cast<double>(config_.memory_bytes_per_s);
  }

  /// Of all steps that fit, the one that moves the fewest rows.
  std::optional<ContractionStep> small_step(std::int64_t most) const {
    ContractionStep best;
    double best_cost = 0;
    for (std::int64_t tiles = n_tiles_;; tiles = ceil_div(tiles, 2)) {
      for (std::int64_t planes = k_planes_;; planes = ceil_div(planes, 2)) {
        ContractionStep step{most, tiles, planes};
        while (step.rows > 0 && !fits(step)) step.rows /= 2;
        const double cost = step.rows > 0 ? rows_moved(step) : 0;
        if (step.rows > 0 && (best.rows == 0 || cost < best_cost)) {
          best = step;
          best_cost = cost;
        }
        if (planes == 1) break;
      }
      if (tiles == 1) break;
    }
    if (best.rows == 0) return std::nullopt;
    return best;
  }

  /// Counts the operand's rows as often as they are loaded, and the rows of each fold (at least R).
  double rows_moved(const ContractionStep& step) const {
    const Chunks all(layer_.walk, step.rows);
    const auto chunks = static_cast<double>(all.size());
    const auto tiles = static_cast<double>(n_tiles_);
    const Chunk chunk = all[0];
    const auto loaded =
        static_cast<double>(blocks_.input_need(layer_.batch.front(), chunk, k_planes_));
    const double loads =
        step.planes < k_planes_ ? tiles : static_cast<double>(ceil_div(n_tiles_, step.tiles));
    const auto streamed =
        static_cast<double>(std::max(std::int64_t{config_.array_rows}, chunk.rows()));
    return chunks * (loads * loaded + tiles * folds_ * streamed);
  }

  bool fits(const ContractionStep& step) const { return largest_need(step) <= room_; }

  std::uint64_t largest_need(const ContractionStep& step) const {
    std::uint64_t most = 0;
    for (const Chunk& chunk : distinct_chunks(layer_.walk, step.rows)) {
      for (const BatchOffset& product : layer_.batch) {
        for (std::int64_t tile = 0; tile < n_tiles_; tile += step.tiles) {
          const Columns columns = blocks_.columns_of(tile, step.tiles);
          most = std::max(most, blocks_.staged(product, chunk, columns, step.planes));
        }
      }
    }
    return most;
  }

  const ContractionLayer& layer_;
  const ContractionBlocks& blocks_;
  const MachineConfig& config_;
  const std::uint64_t room_;  // UB rows
  const std::int64_t accumulator_rows_;
  const std::int64_t most_rows_;  // of a chunk; 0: by the estimate
  const std::int64_t n_tiles_;
  const std::int64_t k_planes_;
  const double folds_;
};

/// Chunks innermost, if one tile then serves several chunks with a single fetch.
LoopOrder order_of(const ContractionLayer& layer, const ContractionBlocks& blocks,
                   const ContractionStep& step, const Places& places) {
  const bool one_fold = std::ranges::any_of(
      layer.batch, [&](const BatchOffset& product) { return blocks.folds(product) == 1; });
  const bool stays = places.resident(layer.a.sheet) && places.resident(layer.out.sheet);
  return one_fold && stays && Chunks(layer.walk, step.rows).size() > 1 ? LoopOrder::kChunkInnermost
                                                                       : LoopOrder::kChunkOutermost;
}

}  // namespace

std::variant<Mapping, Misfit> map_contraction(const ContractionLayer& layer,
                                              const ContractionBlocks& blocks, const Places& places,
                                              std::int64_t most_rows) {
  const StepChoice choice(layer, blocks, places, most_rows);
  const auto step = choice.choose();
  if (!step) return choice.misfit();
  Mapping mapping;
  mapping.packed_taps = static_cast<std::uint32_t>(layer.packed_taps);
  if (const auto* computed = std::get_if<ComputedWeights>(&layer.weights)) {
    mapping.stationary = computed->operand;
  }
  mapping.transfers = Transfers::kSheets;
  mapping.order = order_of(layer, blocks, *step, places);
  mapping.chunk_rows = static_cast<std::uint32_t>(step->rows);
  mapping.accumulator_regions =
      static_cast<std::uint32_t>(sum_rows(layer, places.config()) / step->rows);
  mapping.column_tiles = static_cast<std::uint32_t>(step->tiles);
  mapping.planes = static_cast<std::uint32_t>(step->planes);
  return mapping;
}

}  // namespace weft::compiler
