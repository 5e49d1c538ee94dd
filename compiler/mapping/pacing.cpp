#include "compiler/mapping/pacing.h"

#include <algorithm>
#include <cmath>

#include "compiler/mapping/estimate.h"

namespace weft {
namespace {

std::int64_t matmuls_in(double cycles, double pitch) {
  return static_cast<std::int64_t>(std::ceil(cycles / pitch));
}

/// How far ahead to fill a ring of `slots`. The queue itself covers `queue` slots; a slot in use
/// cannot be filled for `turnaround` matmuls.
std::uint64_t ahead(std::int64_t slots, std::int64_t queue, std::int64_t turnaround) {
  const std::int64_t most = std::max<std::int64_t>(1, slots - turnaround);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(slots - queue, 1, most));
}

/// The lag after which at most `queue` instructions wait, each for `turnaround` matmuls.
std::uint64_t lag(std::int64_t turnaround, std::int64_t queue) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, turnaround + 1 - queue));
}

}  // namespace

Pacing pace(const TilingPlan& plan, const MachineConfig& config) {
  const double rows = plan.chunk_rows;
  const bool inner = plan.order == LoopOrder::kChunkInnermost;
  const double pitch = inner ? rows : fold_pitch(rows, config);
  const double turnaround = matmul_turnaround(rows, config);
  const std::int64_t retired = matmuls_in(turnaround, pitch);
  const std::int64_t written = matmuls_in(turnaround + rows + config.vector_latency_cycles, pitch);
  const std::int64_t queue = config.queue_depth;
  Pacing pacing;
  pacing.weight_fifo_tiles = config.weight_fifo_tiles;
  pacing.queue_depth = config.queue_depth;
  if (!inner) pacing.fetch_ahead = ahead(config.weight_fifo_tiles, queue, retired);
  pacing.load_ahead = ahead(plan.activation_slots, queue, retired);
  pacing.slot_lag = lag(retired, queue);
  pacing.vector_lag = lag(retired, queue);
  pacing.store_lag = std::max(pacing.vector_lag, lag(written, queue));
  // With one slot, each matmul waits until the one before it has retired. Results that are held
  // back gain nothing then, and their stores would wait for the next load.
  if (plan.activation_slots == 1) pacing.vector_lag = pacing.store_lag = 0;
  return pacing;
}

}  // namespace weft
