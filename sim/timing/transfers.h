// The transfers between the machine and the memories outside of it: which channel carries one,
// which bytes it moves and how late the last byte arrives.
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

/// The channel that carries the transfers of an opcode; nullopt for an ideal memory.
std::optional<Channel> channel_of(Opcode opcode, MemoryKind kind);

std::uint64_t bytes_per_second(Channel channel, const MachineConfig& config);
Cycle latency_cycles(Channel channel, const MachineConfig& config);

/// What a transfer does to the memory outside.
enum class Direction : std::uint8_t { kRead, kWrite };

/// What a transfer asks of its channel: consecutive bytes, whole rows or one tile, padding
/// included. A load of patches asks for the needed elements only, the first of them at `address`.
/// Byte addresses are those of docs/isa.md, "Addresses"; the rate of a channel does not depend on
/// them.
struct TransferRequest {
  std::optional<Channel> channel;  // nullopt: the memory is ideal
  Direction direction = Direction::kRead;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const TransferRequest&, const TransferRequest&) = default;
};

/// The request of a load, a store, or a fetch from weight memory; nullopt for other operations. A
/// fetch from the unified buffer reaches no memory outside.
std::optional<TransferRequest> transfer_request(const Operation& operation,
                                                const MachineConfig& config);

/// The channel of transfer_request(), without the rest; nullopt if there is no request as well.
std::optional<Channel> transfer_channel(const Operation& operation, const MachineConfig& config);

/// Cycles that a fetch from the buffer takes: one per row. 0 for other operations.
Cycle buffer_read_cycles(const Operation& operation, const MachineConfig& config);

/// Cycles in which a load of patches writes its rows, one a cycle. 0 for other operations.
Cycle row_write_cycles(const Operation& operation);

}  // namespace weft
