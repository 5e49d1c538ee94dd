#include "sim/timing/transfers.h"

#include "sim/isa/row_access.h"

namespace weft {

std::optional<Channel> channel_of(Unit unit, MemoryKind kind) {
  if (kind == MemoryKind::kIdeal) return std::nullopt;
  if (kind == MemoryKind::kShared) return Channel::kMemory;
  return unit == Unit::kFetch ? Channel::kMemory : Channel::kHost;
}

std::uint64_t bytes_per_second(Channel channel, const MachineConfig& config) {
  return channel == Channel::kMemory ? config.memory_bytes_per_s : config.host_bytes_per_s;
}

Cycle latency_cycles(Channel channel, const MachineConfig& config) {
  return channel == Channel::kMemory ? config.memory_latency_cycles : config.host_latency_cycles;
}

std::uint64_t transfer_bytes(const Operation& operation, const MachineConfig& config) {
  if (const auto* load = std::get_if<Load>(&operation)) {
    return std::uint64_t{load->rows} * config.row_bytes();
  }
  if (const auto* store = std::get_if<Store>(&operation)) {
    return std::uint64_t{store->rows} * config.row_bytes();
  }
  const auto* fetch = std::get_if<Fetch>(&operation);
  return fetch != nullptr && !fetch->buffer ? config.tile_bytes() : 0;
}

Cycle buffer_read_cycles(const Operation& operation, const MachineConfig& config) {
  const auto* fetch = std::get_if<Fetch>(&operation);
  if (fetch == nullptr || !fetch->buffer) return 0;
  return static_cast<Cycle>(buffer_tile_reads(*fetch->buffer, config));
}

}  // namespace weft
