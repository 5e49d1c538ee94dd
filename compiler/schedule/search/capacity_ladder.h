// Candidates of the search that do not depend on how much the machine has: powers of two, so that
// those of a machine with less are candidates of a machine with more.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/capacities.h"
#include "compiler/schedule/schedule_layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Rows of staging: powers of two from 256 up to half the buffer, in ascending order.
std::vector<std::uint64_t> staging_ladder(const MachineConfig& config);

/// The most rows of a chunk that a search tries: by estimate, as many as there are accumulators, a
/// third of them, and what machines with fewer would try too: in descending order powers of two
/// from the rows of the array up to what the layer has and the accumulators hold.
std::vector<std::int64_t> chunk_candidates(const Layer& layer, const MachineConfig& config);

/// Likewise chunks of fewer rows than the array, which may win where the array has little to do.
std::vector<std::int64_t> short_chunks(const Layer& layer, const MachineConfig& config);

/// What smaller machines may have: the machine's own capacity, then powers of two below it, in
/// descending order. Left out are buffers that hold everything several times, and accumulators of
/// fewer rows than the array.
struct CapacityLadders {
  std::vector<std::uint32_t> unified_buffer_kib;
  std::vector<std::uint32_t> accumulator_rows;
  std::vector<std::uint32_t> weight_fifo_tiles;
};
CapacityLadders capacity_ladders(const Segment& segment, const MachineConfig& config);

/// The machine without the buffer that the segment leaves empty, so that machines with more have
/// the same.
MachineConfig without_excess(const Segment& segment, MachineConfig config);

/// A machine like this one with room for whatever a small program needs.
MachineConfig ample_machine(MachineConfig config);

/// The choices, as near as possible, for a machine with these capacities in place of `config`'s.
ScheduleChoices planned_for(const Capacities& capacities, ScheduleChoices choices,
                            const Segment& segment, const MachineConfig& config);

}  // namespace weft::compiler
