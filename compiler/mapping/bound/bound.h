// The fewest cycles that any schedule of a network on a machine can take, however it packs, tiles
// and orders the work. docs/bounds.md has the proof; the numbers of its sections stand beside the
// code.
//
//   graph --> demand of each node (demand.h) --> sums by unit --> the largest
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// The unit or channel that takes longest.
enum class BoundBy : std::uint8_t { kArray, kVectorUnit, kMemory, kHostLink };

/// "array", "vector unit", "memory" or "host link".
std::string_view to_string(BoundBy by);

/// In cycles of the machine's clock.
struct Bound {
  Cycle cycles = 0;  // no run takes fewer
  BoundBy by = BoundBy::kArray;
  double array = 0;   // all products on the array
  double vector = 0;  // what only the vector unit can do
  double memory = 0;  // weights, and all other bytes where the memory is shared
  double host = 0;    // inputs and results; 0 where the memory is shared

  /// `cycles` of a run divided by the bound; 0 if the bound is 0.
  double ratio(Cycle run) const {
    return cycles > 0 ? static_cast<double>(run) / static_cast<double>(cycles) : 0;
  }
};

/// What some nodes of a network ask of array and vector unit, counted as if they were alone on the
/// chip (docs/bounds.md, section 8). The parts of a network do not add up to its bound.
struct WorkBound {
  Cycle cycles = 0;  // of both units together; 0: the nodes need neither
  BoundBy by = BoundBy::kArray;
  double array = 0;   // all products on the array
  double vector = 0;  // what only the vector unit can do
};

/// The bound of those nodes of `graph` that the machine computes: all except `host_nodes`, which
/// are ascending. `graph` has been through the passes (compiler/passes).
Bound lower_bound(const graph::Graph& graph, std::span<const std::size_t> host_nodes,
                  const MachineConfig& config);

/// The part of a node that belongs to none.
constexpr std::size_t kNoPart = std::numeric_limits<std::size_t>::max();

/// The work of each of `parts` parts of the graph. `part_of[node]` is the node's part, or kNoPart:
/// then the host computes it or no part counts it.
std::vector<WorkBound> work_bounds(const graph::Graph& graph, std::span<const std::size_t> part_of,
                                   std::size_t parts, const MachineConfig& config);

}  // namespace weft::compiler
