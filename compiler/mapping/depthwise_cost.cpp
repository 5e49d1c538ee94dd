#include "compiler/mapping/depthwise_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/layers/chunks.h"
#include "compiler/layers/sheet.h"
#include "compiler/mapping/map_lanes.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

class DepthwiseEstimate {
 public:
  DepthwiseEstimate(const DepthwiseShape& shape, const MachineConfig& config)
      : shape_(shape),
        config_(config),
        rows_(shape.walk.rows()),
        taps_(shape.walk.taps()),
        array_rows_(config.array_rows),
        cols_(config.array_cols),
        tiles_(ceil_div(shape.channels, cols_)),
        planes_(ceil_div(shape.channels, array_rows_)),
        latency_(config.vector_latency_cycles) {}

  std::int64_t on_array() const {
    const std::int64_t limit = chunk_rows();
    const std::int64_t chunks = Chunks(shape_.walk, limit).size();
    const double rows = static_cast<double>(rows_) / static_cast<double>(chunks);
    const double fold = fold_cycles(rows);
    const bool waits = 2 * limit > config_.accumulator_rows;
    const double drain = static_cast<double>(array_rows_ + cols_ + latency_) + rows;
    const auto uses = static_cast<double>(chunks * tiles_);
    const double folds = static_cast<double>(chunks * blocks() * taps_);
    // Every drain but the last overlaps the next tile, unless that needs the same accumulators.
    const double array = folds * fold + (waits ? uses - 1 : 0) * drain - ahead(folds, fold, rows);
    const double first_tile = memory_latency() + fetch_cycles() + static_cast<double>(array_rows_);
    const std::int64_t wide = tiles_ * std::int64_t{config_.result_row_rows()};
    return total(first_tile, array, drain, chunks, 0, shape_.wide ? wide : planes_, folds);
  }

  std::int64_t on_vector_unit() const {
    const std::int64_t chunks = Chunks(shape_.walk, std::min(kRowsAtOnce, rows_)).size();
    // Each tap waits until the previous one can be read; the last step turns the sum into the
    // result.
    const double steps = static_cast<double>(chunks * tiles_ * (taps_ + 1));
    const double work = static_cast<double>(tiles_ * (taps_ + 1) * rows_) +
                        steps * static_cast<double>(latency_ + 1);
    return total(0, work, 0, chunks, planes_ * taps_, planes_, steps);
  }

 private:
  /// Tiles on the diagonal that are not empty: pairs of a plane and a tile of columns.
  std::int64_t blocks() const {
    std::int64_t count = 0;
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
      const std::int64_t last = std::min((tile + 1) * cols_, shape_.channels) - 1;
      count += last / array_rows_ - tile * cols_ / array_rows_ + 1;
    }
    return count;
  }

  /// The rows of a chunk on the array, chosen as in map_contraction.cpp, which also counts the
  /// empty tiles.
  std::int64_t chunk_rows() const {
    const auto most = std::min<std::int64_t>(config_.accumulator_rows, rows_);
    std::int64_t best = most;
    double best_cost = 0;
    for (std::int64_t parts = 1; parts <= 64 && parts <= most; ++parts) {
      const std::int64_t limit = most / parts;
      const auto chunks = static_cast<double>(Chunks(shape_.walk, limit).size());
      const double rows = static_cast<double>(rows_) / chunks;
      const double uses = chunks * static_cast<double>(tiles_);
      const double fold = std::max({rows, static_cast<double>(array_rows_), fetch_cycles()});
      const bool waits = 2 * limit > config_.accumulator_rows && uses > 1;
      const double drain = waits ? rows + static_cast<double>(array_rows_ + cols_) : 0;
      const double cost = uses * (static_cast<double>(taps_ * planes_) * fold + drain);
      if (parts > 1 && cost >= best_cost * 0.999) continue;
      best = limit;
      best_cost = cost;
    }
    return best;
  }

  /// Cycles per fold: the rows, the pushes or the fetch of a tile. Or, per FIFO slot, the time from
  /// one fetch to the next: fetch, push, stream and retire.
  double fold_cycles(double rows) const {
    const auto side = static_cast<double>(array_rows_);
    const double slot =
        fetch_cycles() + memory_latency() + 2 * side + rows + static_cast<double>(cols_);
    return std::max({rows, side, fetch_cycles(), slot / config_.weight_fifo_tiles});
  }

  /// Cycles saved by the tiles that are fetched while the host link still loads, if they have
  /// another channel.
  double ahead(double folds, double fold, double rows) const {
    if (config_.memory_kind != MemoryKind::kSplit || !shape_.from_host) return 0;
    const double plain = std::max(rows, static_cast<double>(array_rows_));
    const double input =
        host_cycles(shape_.walk.images * shape_.walk.y.input * shape_.walk.x.input);
    const double fetched = (input + host_latency() - memory_latency()) / fetch_cycles();
    return std::clamp(fetched, 0.0, std::min<double>(folds, config_.weight_fifo_tiles)) *
           std::max(0.0, fold - plain);
  }

  bool ideal() const { return config_.memory_kind == MemoryKind::kIdeal; }
  double cycles_of(std::int64_t bytes, std::uint64_t bytes_per_s) const {
    if (ideal()) return 0;
    return static_cast<double>(bytes) * static_cast<double>(config_.clock_hz) /
           static_cast<double>(bytes_per_s);
  }
  double host_cycles(std::int64_t rows) const {
    const bool split = config_.memory_kind == MemoryKind::kSplit;
    return cycles_of(rows * static_cast<std::int64_t>(config_.row_bytes()),
                     split ? config_.host_bytes_per_s : config_.memory_bytes_per_s);
  }
  double host_latency() const {
    if (ideal()) return 1;
    return config_.memory_kind == MemoryKind::kSplit ? config_.host_latency_cycles
                                                     : config_.memory_latency_cycles;
  }
  double memory_latency() const { return ideal() ? 1 : config_.memory_latency_cycles; }
  double fetch_cycles() const {
    return cycles_of(static_cast<std::int64_t>(config_.tile_bytes()), config_.memory_bytes_per_s);
  }

  /// Cycles of loads, work and stores, where each part of the rows proceeds as soon as it can.
  /// `first`: cycles before the work can begin; `drain`: cycles after its end; `filters`: further
  /// rows of constants; `stored`: UB rows per row of the result; `instructions`: of the unit.
  std::int64_t total(double first, double work, double drain, std::int64_t chunks,
                     std::int64_t filters, std::int64_t stored, double instructions) const {
    const std::int64_t input_rows = shape_.walk.images * shape_.walk.y.input * shape_.walk.x.input;
    const std::int64_t constants =
        shape_.constants * tiles_ * std::int64_t{config_.result_row_rows()} + filters;
    const double input = shape_.from_host ? host_cycles(input_rows * planes_) : 0;
    const double output = shape_.to_host ? host_cycles(rows_ * stored) : 0;
    const std::int64_t pieces =
        std::min({chunks, kSheetPieces, ceil_div(input_rows, kLeastSheetPiece)});
    // On a shared channel weights come after the whole operand; else work begins plane by plane.
    const bool split = config_.memory_kind == MemoryKind::kSplit;
    const auto parts = static_cast<double>(std::max<std::int64_t>(1, pieces) *
                                           (split ? planes_ : std::int64_t{1}));
    const double loaded = host_cycles(constants) + input;
    // The first piece comes before the constants, the others after them. The vector unit needs its
    // filters from the first row on.
    double link = filters > 0 && input_rows <= kLeastSheetPiece ? loaded : loaded - input;
    double unit = first;
    std::vector<double> done;
    for (double part = 0; part < parts; ++part) {
      link = std::min(loaded, link + input / parts);
      unit = std::max(unit, link + host_latency()) + work / parts;
      done.push_back(unit);
    }
    // The stores come last in the program: they are dispatched once the unit's queue holds the
    // rest.
    const double queued = std::min(1.0, config_.queue_depth / instructions) * work;
    double store = std::max(loaded, unit - queued);  // one link for both directions
    for (const double part : done) store = std::max(store, part) + output / parts;
    const double last = output / parts / static_cast<double>(split ? 1 : tiles_);
    const double end =
        shape_.to_host ? std::max(store, unit + drain + last) + host_latency() : unit + drain;
    return std::llround(end);
  }

  const DepthwiseShape& shape_;
  const MachineConfig& config_;
  const std::int64_t rows_;
  const std::int64_t taps_;
  const std::int64_t array_rows_;
  const std::int64_t cols_;
  const std::int64_t tiles_;
  const std::int64_t planes_;
  const std::int64_t latency_;
};

}  // namespace

DepthwiseCost depthwise_cost(const DepthwiseShape& shape, const MachineConfig& config) {
  const DepthwiseEstimate estimate(shape, config);
  return {estimate.on_vector_unit(), estimate.on_array()};
}

}  // namespace weft::compiler
