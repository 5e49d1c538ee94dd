#include "compiler/schedule/plan/network_plan.h"

#include <cstddef>
#include <variant>

#include "compiler/schedule/choose_groups.h"

namespace weft::compiler {
namespace {

LayersPlan layers_plan(const ScheduledSegment& scheduled) {
  const ScheduleChoices& choices = *scheduled.choices;
  LayersPlan plan{scheduled.schedule.capacities,
                  choices.buffer.staging_rows(),
                  choices.buffer.tile_slots,
                  choices.order,
                  choices.fit,
                  choices.groups.cut_inputs,
                  choices.groups.round,
                  choices.groups.rounds_at_once,
                  choices.groups.merged,
                  {}};
  const std::int64_t images = batch_of(scheduled.segment);
  for (std::size_t i = 0; i < scheduled.segment.layers.size(); ++i) {
    const auto& sizes = choices.groups.sizes;
    const LineBands& bands = choices.bands;
    const bool has_bands = !bands.counts.empty();
    const auto& tiles = choices.buffered_tiles;
    plan.layers.push_back({scheduled.segment.layers[i].name, choices.forms[i],
                           sizes.empty() ? images : sizes[i], has_bands ? bands.counts[i] : 1,
                           has_bands && bands.keeps_halo[i], choices.chunk_rows[i],
                           tiles.empty() ? 0 : tiles[i]});
  }
  return plan;
}

ProductPlan product_plan(const ScheduledSegment& scheduled) {
  const Mapping& mapping = scheduled.schedule.layers.front().mappings.front();
  return {scheduled.segment.layers.front().name,
          mapping.order,
          mapping.chunk_rows,
          mapping.activations_resident,
          mapping.activation_slots,
          mapping.bias_slots,
          mapping.tile_slots,
          mapping.buffered_tiles,
          mapping.stores_by_row,
          mapping.pacing.weight_fifo_tiles,
          mapping.pacing.queue_depth};
}

}  // namespace

NetworkPlan network_plan(const ScheduledNetwork& network) {
  NetworkPlan plan{network.choices, {}};
  for (const auto& step : network.steps) {
    const auto* scheduled = std::get_if<ScheduledSegment>(&step);
    if (scheduled == nullptr) continue;
    if (scheduled->choices) {
      plan.programs.emplace_back(layers_plan(*scheduled));
    } else {
      plan.programs.emplace_back(product_plan(*scheduled));
    }
  }
  return plan;
}

}  // namespace weft::compiler
