// Which channel a unit's transfers use, how many bytes they move and how late the last byte
// arrives.
//
//   ideal            shared                     split
//   no channel       load  --+                  load  --+-- host link
//                    fetch --+-- memory         store --+
//                    store --+                  fetch ----- weight memory
//
// A fetch from the unified buffer uses no channel: it reads one row per cycle, one such fetch at a
// time. When several units wait for one channel, the instruction that comes first in the program
// goes first.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/timing/timeline.h"

namespace weft {

enum class Channel : std::uint8_t { kMemory, kHost };
inline constexpr std::size_t kChannelCount = 2;

constexpr bool is_transfer(Unit unit) {
  return unit == Unit::kLoad || unit == Unit::kFetch || unit == Unit::kStore;
}

/// The channel of a transfer unit; nullopt for an ideal memory.
std::optional<Channel> channel_of(Unit unit, MemoryKind kind);

std::uint64_t bytes_per_second(Channel channel, const MachineConfig& config);
Cycle latency_cycles(Channel channel, const MachineConfig& config);

/// Bytes that a load, fetch or store moves: whole rows and tiles, padding included. 0 for others,
/// and for a fetch from the buffer, which uses no channel.
std::uint64_t transfer_bytes(const Operation& operation, const MachineConfig& config);

/// Cycles that a fetch from the buffer takes: one per row. 0 for other operations.
Cycle buffer_read_cycles(const Operation& operation, const MachineConfig& config);

}  // namespace weft
