// The plan of a program of one product, and the schedule that follows from it.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/layers/segment.h"
#include "compiler/program/mapping.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// A program of one product in rings (Transfers::kRings).
struct ProductPlan {
  std::string layer;
  LoopOrder order = LoopOrder::kChunkOutermost;
  std::uint32_t chunk_rows = 0;
  bool activations_resident = false;
  std::uint32_t activation_slots = 0;
  std::uint32_t bias_slots = 0;
  std::uint32_t tile_slots = 0;
  std::uint32_t buffered_tiles = 0;     // Mapping::buffered_tiles
  bool stores_by_row = false;           // Mapping::stores_by_row
  std::uint32_t weight_fifo_tiles = 0;  // of Mapping::pacing
  std::uint32_t queue_depth = 0;        // likewise
  friend bool operator==(const ProductPlan&, const ProductPlan&) = default;
};

/// The schedule of a segment that is one product (only_product()). Throws InputError with the first
/// field of the plan that does not go with the fields before it, and the values that would.
Schedule planned_product(const Segment& segment, const MachineConfig& config,
                         const ProductPlan& plan);

}  // namespace weft::compiler
