// What a run does that takes energy, as counts. All of them are sums over instructions and pushes,
// so they cost a few operations per instruction, and engine `analytic` counts them without holding
// a program. sim/analysis/energy.h turns them into joules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/isa/run_state.h"

namespace weft {

/// A buffer row is one row of the unified buffer: R elements. A read or write is one row in one
/// cycle, as sim/isa/row_access.h lists them: a bias that is read for each of n rows counts n
/// times.
struct EventCounts {
  std::uint64_t streamed_rows = 0;  // rows that enter the array, padding rows included
  std::uint64_t swaps = 0;          // tiles that become the active weights
  std::uint64_t pushes = 0;         // tiles that begin to be pushed before the run ends
  std::uint64_t tiles = 0;          // tiles written into the weight FIFO
  std::uint64_t buffer_reads = 0;   // buffer rows
  std::uint64_t buffer_writes = 0;
  std::uint64_t accumulator_reads = 0;  // rows of C sums
  std::uint64_t accumulator_writes = 0;
  std::uint64_t accumulated_rows = 0;  // rows that are added to older sums
  std::uint64_t vector_lanes = 0;      // lanes that the vector unit computes
  std::uint64_t memory_bytes = 0;      // across the memory channel, or all if the memory is ideal
  std::uint64_t host_bytes = 0;        // across the host link of a split memory

  EventCounts& operator+=(const EventCounts& more);
  friend bool operator==(const EventCounts&, const EventCounts&) = default;
};

struct EventCountEntry {
  std::string_view name;
  std::uint64_t EventCounts::*count;
};

inline constexpr std::array<EventCountEntry, 12> kEventCounts = {{
    {"streamed_rows", &EventCounts::streamed_rows},
    {"swaps", &EventCounts::swaps},
    {"pushes", &EventCounts::pushes},
    {"tiles", &EventCounts::tiles},
    {"buffer_reads", &EventCounts::buffer_reads},
    {"buffer_writes", &EventCounts::buffer_writes},
    {"accumulator_reads", &EventCounts::accumulator_reads},
    {"accumulator_writes", &EventCounts::accumulator_writes},
    {"accumulated_rows", &EventCounts::accumulated_rows},
    {"vector_lanes", &EventCounts::vector_lanes},
    {"memory_bytes", &EventCounts::memory_bytes},
    {"host_bytes", &EventCounts::host_bytes},
}};

/// Adds what the operation does, except pushes: only the timing knows whether a fetched tile is
/// pushed.
void count_events(const MachineConfig& config, const Operation& operation, EventCounts& events);

/// Shows the counts of a run in progress.
void visit(StateVisitor& visitor, EventCounts& events);

/// The events of a complete run by group of its instructions, such as a layer. A push belongs to
/// the fetch of its tile; the first `pushes` tiles are pushed. `group_of` has one entry below
/// `groups` for each instruction.
std::vector<EventCounts> events_by_group(const MachineConfig& config, const Program& program,
                                         std::size_t pushes,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups);

}  // namespace weft
