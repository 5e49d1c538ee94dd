#include "compiler/mapping/buffers.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "compiler/blocks/places.h"
#include "compiler/mapping/checked_math.h"
#include "compiler/mapping/estimate.h"
#include "compiler/mapping/tile_walk.h"

namespace weft {
namespace {

// A bias that takes at most this share (1/8) of the UB is loaded once and stays.
constexpr std::uint64_t kBiasShare = 8;
// Longer rings would only hide latencies that no preset has.
constexpr std::uint64_t kMostSlots = 64;

struct ActivationChoice {
  bool resident = false;
  std::uint64_t slots = 0;
};

/// All of the bias if it is small compared with the UB; two rows, so that one is loaded while the
/// other is used; one row.
std::vector<std::uint64_t> bias_choices(const TilingPlan& base, const MachineConfig& config) {
  if (!base.spec.bias) return {0};
  const std::uint64_t rr = config.result_row_rows();
  std::vector<std::uint64_t> slots;
  if (base.n_tiles <= compiler::usable_rows(config) / kBiasShare / rr)
    slots.push_back(base.n_tiles);
  if (base.n_tiles > 1) slots.push_back(2);
  slots.push_back(1);
  return slots;
}

/// Slots with which a ring no longer delays the array: its turnaround in matmuls, plus two.
std::uint64_t ring_slots(const TilingPlan& base, const MachineConfig& config) {
  const double rows = base.chunk_rows;
  const double pitch = base.order == LoopOrder::kChunkInnermost ? rows : fold_pitch(rows, config);
  const double latency = config.memory_kind == MemoryKind::kShared  ? config.memory_latency_cycles
                         : config.memory_kind == MemoryKind::kSplit ? config.host_latency_cycles
                                                                    : 0;
  const double turns = std::ceil((matmul_turnaround(rows, config) + latency) / pitch);
  return std::min(kMostSlots, 2 + static_cast<std::uint64_t>(std::min(turns, 1e6)));
}

void add_resident(const TilingPlan& base, std::vector<ActivationChoice>& choices) {
  if (base.n_tiles == 1) return;  // each slice is used once: a ring needs less room
  if (base.order == LoopOrder::kChunkInnermost) {
    choices.push_back({true, base.m_chunks});
    return;
  }
  // Two sets first: a chunk's slices arrive while the previous chunk's are in use.
  for (const std::uint64_t sets : std::initializer_list<std::uint64_t>{2, 3, 1}) {
    if (sets <= base.m_chunks) choices.push_back({true, checked_mul(sets, base.k_tiles)});
  }
}

std::vector<ActivationChoice> activation_choices(const TilingPlan& base,
                                                 const MachineConfig& config) {
  std::vector<ActivationChoice> choices;
  add_resident(base, choices);
  const std::uint64_t most = std::min(base.matmuls(), ring_slots(base, config));
  for (std::uint64_t slots : {most, std::uint64_t{3}, std::uint64_t{2}, std::uint64_t{1}}) {
    if (slots <= most) choices.push_back({false, slots});
  }
  return choices;
}

/// Gives the rest of the UB to results; returns nullopt if no result fits.
std::optional<TilingPlan> with_buffers(const TilingPlan& base, const MachineConfig& config,
                                       ActivationChoice activations, std::uint64_t bias_slots) {
  const std::uint64_t rr = config.result_row_rows();
  const std::uint64_t tile_rows = base.tile_slots * compiler::tile_slot_rows(config);
  const std::uint64_t bias_rows = bias_slots * rr;
  if (bias_rows + tile_rows > compiler::usable_rows(config)) return std::nullopt;
  const std::uint64_t usable = compiler::usable_rows(config) - tile_rows;
  if (activations.slots > (usable - bias_rows) / base.chunk_rows) return std::nullopt;
  const std::uint64_t left = usable - bias_rows - activations.slots * base.chunk_rows;
  const std::uint64_t outputs = std::min(left / (base.chunk_rows * rr), base.region_uses());
  if (outputs == 0) return std::nullopt;
  TilingPlan plan = base;
  plan.activations_resident = activations.resident;
  plan.activation_slots = static_cast<std::uint32_t>(activations.slots);
  plan.bias_slots = static_cast<std::uint32_t>(bias_slots);
  plan.output_slots = static_cast<std::uint32_t>(outputs);
  plan.accumulator_regions = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(config.accumulator_rows / base.chunk_rows, base.region_uses()));
  return plan;
}

}  // namespace

std::uint64_t least_buffer_rows(const MatmulSpec& spec, const MachineConfig& config) {
  const std::uint64_t rr = config.result_row_rows();
  return 1 + rr + (spec.bias ? rr : 0);
}

std::uint32_t largest_chunk(const MatmulSpec& spec, const MachineConfig& config) {
  const std::uint64_t rr = config.result_row_rows();
  const std::uint64_t bias_rows = spec.bias ? rr : 0;
  const std::uint64_t usable = compiler::usable_rows(config);
  if (usable < least_buffer_rows(spec, config)) return 0;
  return static_cast<std::uint32_t>(
      std::min({spec.m, std::uint64_t{config.accumulator_rows}, (usable - bias_rows) / (1 + rr)}));
}

std::vector<TilingPlan> buffer_layouts(const TilingPlan& base, const MachineConfig& config) {
  std::vector<TilingPlan> layouts;
  const auto activations = activation_choices(base, config);
  for (const std::uint64_t bias_slots : bias_choices(base, config)) {
    for (const ActivationChoice& choice : activations) {
      if (auto plan = with_buffers(base, config, choice, bias_slots)) layouts.push_back(*plan);
    }
  }
  return layouts;
}

std::uint32_t last_result_rows(const MatmulSpec& spec, const MachineConfig& config) {
  constexpr std::uint64_t kWordBytes = 4;
  const std::uint64_t columns = (spec.n - 1) % config.array_cols + 1;
  return static_cast<std::uint32_t>((columns * kWordBytes + config.row_bytes() - 1) /
                                    config.row_bytes());
}

std::optional<TilingPlan> with_tile_slots(const TilingPlan& plan, const MachineConfig& config,
                                          std::uint32_t slots, std::uint32_t share) {
  TilingPlan changed = plan;
  changed.tile_slots = slots;
  changed.buffered_tiles = share;
  const std::uint64_t tiles = TileWalk(changed).tiles();
  if (tiles == 0) return std::nullopt;
  changed.tile_slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, tiles));
  return with_buffers(changed, config, {plan.activations_resident, plan.activation_slots},
                      plan.bias_slots);
}

}  // namespace weft
