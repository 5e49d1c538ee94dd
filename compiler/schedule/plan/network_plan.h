// What the compiler chose for a network, as values that a user may keep, edit and use again. The
// schedules follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/product/planned_product.h"
#include "compiler/schedule/staying_rows.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

struct LayerPlan {
  std::string layer;                 // its name
  std::size_t form = 0;              // Schedule::forms
  std::int64_t images = 1;           // that it takes at once (Schedule::groups)
  std::int64_t bands = 1;            // of lines of an image (Schedule::bands)
  bool keep_halo = false;            // LineBands::keeps_halo
  std::int64_t chunk_rows = 0;       // the most of a chunk; 0: as map_contraction() estimates
  std::uint32_t buffered_tiles = 0;  // Mapping::buffered_tiles
  friend bool operator==(const LayerPlan&, const LayerPlan&) = default;
};

/// A program of layers.
struct LayersPlan {
  Capacities capacities;           // for which the rest is planned
  std::uint64_t staging_rows = 0;  // of the unified buffer
  std::uint32_t tile_slots = 0;    // of the unified buffer
  InstructionOrder order = InstructionOrder::kByStart;
  Fit fit = Fit::kNext;
  bool cut_inputs = false;          // ImageGroups::cut_inputs
  std::int64_t round = 0;           // ImageGroups::round
  std::int64_t rounds_at_once = 1;  // ImageGroups::rounds_at_once
  std::int64_t merged = 0;          // ImageGroups::merged
  std::vector<LayerPlan> layers;
  friend bool operator==(const LayersPlan&, const LayersPlan&) = default;
};

using ProgramPlan = std::variant<LayersPlan, ProductPlan>;

struct NetworkPlan {
  NetworkChoices choices;
  std::vector<ProgramPlan> programs;
  friend bool operator==(const NetworkPlan&, const NetworkPlan&) = default;
};

NetworkPlan network_plan(const ScheduledNetwork& network);

/// The network as planned; nothing is searched. Throws InputError naming the layer and the field if
/// the plan does not suit the network and the machine, and as schedule_network() does.
ScheduledNetwork schedule_as_planned(graph::Graph graph, const MachineConfig& config,
                                     const NetworkPlan& plan, bool calibrated = false);

}  // namespace weft::compiler
