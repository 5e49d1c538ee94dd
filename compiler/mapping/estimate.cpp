#include "compiler/mapping/estimate.h"

#include <algorithm>

namespace weft {
namespace {

double ratio(std::uint64_t bytes, std::uint64_t clock_hz, std::uint64_t bytes_per_s) {
  return static_cast<double>(bytes) * static_cast<double>(clock_hz) /
         static_cast<double>(bytes_per_s);
}

/// Cycles for which transfers occupy a channel, and their latencies.
struct TransferCosts {
  bool shared = false;
  double tile = 0;
  double row = 0;
  double tile_latency = 0;
  double row_latency = 0;

  explicit TransferCosts(const MachineConfig& config)
      : shared(config.memory_kind == MemoryKind::kShared) {
    if (config.memory_kind == MemoryKind::kIdeal) return;
    tile = ratio(config.tile_bytes(), config.clock_hz, config.memory_bytes_per_s);
    row = ratio(config.row_bytes(), config.clock_hz,
                shared ? config.memory_bytes_per_s : config.host_bytes_per_s);
    tile_latency = config.memory_latency_cycles;
    row_latency = shared ? config.memory_latency_cycles : config.host_latency_cycles;
  }
  /// Time of fetches and of loads and stores: their sum on one channel, else the longer one.
  double together(double fetches, double host) const {
    return shared ? fetches + host : std::max(fetches, host);
  }
};

/// Cycles from one pass to the next, for `count` passes through a ring of `slots`, each slot taken
/// for `turnaround` cycles. It is `pitch` while a slot is free, as for the first passes.
double ring_pitch(double pitch, double turnaround, double slots, double count) {
  const double wait = std::max(0.0, turnaround / slots - pitch);
  return pitch + wait * std::max(0.0, 1 - slots / count);
}

class ProductEstimate {
 public:
  ProductEstimate(const TilingPlan& plan, const MachineConfig& config)
      : plan_(plan),
        config_(config),
        costs_(config),
        inner_(plan.order == LoopOrder::kChunkInnermost),
        m_(static_cast<double>(plan.spec.m)),
        k_(static_cast<double>(plan.k_tiles)),
        n_(static_cast<double>(plan.n_tiles)),
        chunks_(static_cast<double>(plan.m_chunks)),
        uses_(chunks_ * n_) {}

  PredictedCycles cycles() const {
    const double rows = plan_.chunk_rows;
    const double array = array_cycles();
    const double loads = load_rows() * costs_.row;
    const double first_loads = first_load_rows() * costs_.row;
    const double fetches = tiles() * costs_.tile;
    const double first_fetches = k_ * costs_.tile;
    const double first_array = first_uses() * use_pitch(rows);
    const double first =
        std::max(startup(rows) + first_array, costs_.together(first_fetches, first_loads));
    const double rest = std::max(
        array - first_array,
        costs_.together(fetches - first_fetches, loads - first_loads + store_cycles(m_ * n_)));
    return {array, first + rest + last_results()};
  }

 private:
  double result_rows() const { return config_.result_row_rows(); }
  double store_cycles(double rows) const { return rows * result_rows() * costs_.row; }
  double vector_latency() const { return config_.vector_latency_cycles; }
  double tiles() const { return static_cast<double>(plan_.folds); }

  double load_rows() const {
    const double bias = plan_.bias_slots == 0                         ? 0
                        : plan_.bias_slots == plan_.n_tiles || inner_ ? n_
                                                                      : n_ * chunks_;
    return m_ * k_ * (plan_.activations_resident ? 1 : n_) + bias * result_rows();
  }
  /// Uses that pass before every resident row has arrived, and the rows loaded for them.
  double first_uses() const { return inner_ && plan_.activations_resident ? chunks_ : 1; }
  double first_load_rows() const { return first_uses() * k_ * plan_.chunk_rows; }

  double startup(double rows) const {
    return costs_.together(costs_.tile + costs_.tile_latency,
                           rows * costs_.row + costs_.row_latency) +
           config_.array_rows;
  }
  double last_results() const {
    const double rows = plan_.rows_of_chunk(plan_.m_chunks - 1);
    return matmul_turnaround(rows, config_) + vector_latency() + store_cycles(rows) +
           costs_.row_latency;
  }

  /// Cycles from one matmul to the next. A matmul without its own tile follows the last one at
  /// once.
  double matmul_pitch(double rows) const {
    double pitch = rows;
    if (!inner_) pitch = fifo_pitch(fold_pitch(rows, config_), rows);
    if (plan_.activations_resident) return pitch;
    const double turnaround =
        matmul_turnaround(rows, config_) + 1 + rows * costs_.row + costs_.row_latency;
    return ring_pitch(pitch, turnaround, plan_.activation_slots, uses_ * k_);
  }
  /// A FIFO slot is fetched into again once the matmul that took its tile has retired.
  double fifo_pitch(double pitch, double rows) const {
    const double turnaround = matmul_turnaround(rows, config_) + 1 + costs_.tile +
                              costs_.tile_latency + config_.array_rows;
    return ring_pitch(pitch, turnaround, config_.weight_fifo_tiles, tiles());
  }
  /// Cycles from the first matmul of a region's use to the next use of that region: the matmuls,
  /// the retirement of the last one, the vector unit's `rows` rows and its retirement L-1 cycles
  /// later. So with g regions no matmul waits if  g*k*pitch >= (k-1)*pitch + (P + R+C-1) + P + L.
  double region_pitch(double rows, double pitch) const {
    const double turnaround =
        (k_ - 1) * pitch + matmul_turnaround(rows, config_) + rows + vector_latency();
    return ring_pitch(k_ * pitch, turnaround, plan_.accumulator_regions, uses_);
  }
  /// An output slot is written again once its store has retired.
  double output_pitch(double rows) const {
    const double turnaround = rows + vector_latency() + 1 + store_cycles(rows) + costs_.row_latency;
    return ring_pitch(rows, turnaround, plan_.output_slots, uses_);
  }
  /// One dispatch per cycle: matmul, fetch and load for each fold, vector and store for each use.
  double dispatches() const {
    const double fetch = inner_ ? 1.0 / chunks_ : 1.0;
    const double load = plan_.activations_resident ? 1.0 / n_ : 1.0;
    return k_ * (1 + fetch + load) + 2;
  }
  /// A store delays fetches on a shared channel. The tiles in the FIFO bridge a part of the delay.
  double fetch_stall(double rows, double pitch) const {
    if (!costs_.shared || inner_) return 0;
    return std::max(0.0,
                    store_cycles(rows) + costs_.tile - (config_.weight_fifo_tiles - 1.0) * pitch);
  }
  double use_pitch(double rows) const {
    const double pitch = matmul_pitch(rows);
    return std::max({k_ * pitch + fetch_stall(rows, pitch), region_pitch(rows, pitch),
                     output_pitch(rows), dispatches()});
  }

  /// Cycles lost between chunks. A chunk's slices may be replaced once its last n tile has used
  /// them. With `sets` sets there are (sets-1)*n_tiles + 1 passes over k before the new slices are
  /// needed.
  double chunk_switch() const {
    if (!plan_.activations_resident || inner_ || plan_.m_chunks == 1) return 0;
    const double rows = plan_.chunk_rows;
    const std::uint64_t whole_sets = plan_.activation_slots / plan_.k_tiles;
    const auto sets = static_cast<double>(whole_sets);
    const double pass = k_ * matmul_pitch(rows);
    const double loads = k_ * rows * costs_.row;
    const double slice = matmul_turnaround(rows, config_) + 1 + costs_.row_latency + loads / k_;
    return std::max(
        {0.0, (slice - ((sets - 1) * n_ + 1) * pass) / sets, sets < 2 ? loads - pass : 0.0});
  }

  double array_cycles() const {
    const double full = chunks_ - 1;
    const double last = plan_.rows_of_chunk(plan_.m_chunks - 1);
    const double uses = n_ * (full * use_pitch(plan_.chunk_rows) + use_pitch(last));
    if (!inner_) return uses + full * chunk_switch();
    const double per_tile = fifo_pitch(fold_pitch(m_, config_), plan_.chunk_rows);
    return std::max(uses + (config_.double_buffer ? 0 : n_ * (fold_pitch(m_, config_) - m_)),
                    n_ * per_tile);
  }

  const TilingPlan& plan_;
  const MachineConfig& config_;
  TransferCosts costs_;
  bool inner_;
  double m_;
  double k_;
  double n_;
  double chunks_;
  double uses_;
};

}  // namespace

double matmul_turnaround(double rows, const MachineConfig& config) {
  return rows + config.array_rows + config.array_cols - 1;
}

double fold_pitch(double rows, const MachineConfig& config) {
  const double array_rows = config.array_rows;
  if (config.double_buffer) return std::max(rows, array_rows);
  return 2 * array_rows + config.array_cols + rows - 2;
}

PredictedCycles estimate_cycles(const TilingPlan& plan, const MachineConfig& config) {
  return ProductEstimate(plan, config).cycles();
}

}  // namespace weft
