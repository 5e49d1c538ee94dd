// The critical path of a run: the chain of events that led to its last retirement. Every event of
// the recurrences (sim/timing/analytic_clock.h) happens as soon as the latest of its predecessors
// allows, a known number of cycles after it. So the chain from the last event back to cycle 0 has
// no gaps, and each of its cycles was spent on something: the parts sum to the run's total.
//
//   dispatch --1--> start --bytes--> channel free --latency--> loaded --0--> first row --M--> ...
//            dispatch       memory               memory latency              array
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/timing/timeline.h"

namespace weft {

/// What a cycle of the critical path is spent on (docs/timing.md, "The critical path").
enum class PathPart : std::uint8_t {
  kArray,          // rows enter the array
  kWeightShift,    // a tile is pushed
  kDrain,          // the last row is on its way through the array
  kVector,         // rows enter the vector unit
  kVectorLatency,  // the last row is on its way through the vector unit
  kMemory,         // bytes on the memory's channel; the one cycle of a transfer of ideal memory
  kMemoryLatency,
  kHost,  // bytes on the host link
  kHostLatency,
  kBufferRead,  // a fetch reads rows of the unified buffer
  kPatchWrite,  // a load of patches writes rows of the unified buffer
  kDispatch,    // from one dispatch to the next, or to the start
  kQueueFull,   // from the start that frees a slot of a full queue to the dispatch that takes it
};
inline constexpr std::size_t kPathParts = 13;

/// The names of the parts, for people and in JSON.
struct PathPartName {
  std::string_view name;
  std::string_view key;
};
inline constexpr std::array<PathPartName, kPathParts> kPathPartNames = {{
    {"array", "array"},
    {"weight shift", "weight_shift"},
    {"drain", "drain"},
    {"vector unit", "vector"},
    {"vector latency", "vector_latency"},
    {"memory", "memory"},
    {"memory latency", "memory_latency"},
    {"host link", "host"},
    {"host latency", "host_latency"},
    {"buffer read", "buffer_read"},
    {"patch write", "patch_write"},
    {"dispatch", "dispatch"},
    {"queue full", "queue_full"},
}};

/// The cycles of a critical path, or of a part of it, by what they are spent on.
struct CriticalPath {
  std::array<Cycle, kPathParts> cycles = {};

  Cycle& operator[](PathPart part) { return cycles[static_cast<std::size_t>(part)]; }
  Cycle operator[](PathPart part) const { return cycles[static_cast<std::size_t>(part)]; }
  CriticalPath& operator+=(const CriticalPath& other) {
    for (std::size_t i = 0; i < kPathParts; ++i) cycles[i] += other.cycles[i];
    return *this;
  }
  /// Of a whole path: the run's total.
  Cycle sum() const {
    Cycle total = 0;
    for (const Cycle part : cycles) total += part;
    return total;
  }
  friend bool operator==(const CriticalPath&, const CriticalPath&) = default;
};

}  // namespace weft
