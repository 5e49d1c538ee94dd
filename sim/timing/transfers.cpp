#include "sim/timing/transfers.h"

#include "sim/isa/patches.h"
#include "sim/isa/program.h"
#include "sim/isa/row_access.h"

namespace weft {

std::optional<Channel> channel_of(Opcode opcode, MemoryKind kind) {
  if (kind == MemoryKind::kIdeal) return std::nullopt;
  if (kind == MemoryKind::kShared) return Channel::kMemory;
  return opcode == Opcode::kFetch ? Channel::kMemory : Channel::kHost;
}

std::uint64_t bytes_per_second(Channel channel, const MachineConfig& config) {
  return channel == Channel::kMemory ? config.memory_bytes_per_s : config.host_bytes_per_s;
}

Cycle latency_cycles(Channel channel, const MachineConfig& config) {
  return channel == Channel::kMemory ? config.memory_latency_cycles : config.host_latency_cycles;
}

std::optional<Channel> transfer_channel(const Operation& operation, const MachineConfig& config) {
  const auto* fetch = std::get_if<Fetch>(&operation);
  const bool is_transfer = std::holds_alternative<Load>(operation) ||
                           std::holds_alternative<Store>(operation) ||
                           (fetch != nullptr && !fetch->buffer);
  if (!is_transfer) return std::nullopt;
  return channel_of(opcode_of(operation), config.memory_kind);
}

namespace {

TransferRequest patch_request(const Load& load, std::optional<Channel> channel,
                              const MachineConfig& config) {
  const std::uint64_t bytes = element_bytes(config.dtype);
  return {channel, Direction::kRead,
          load.host * config.row_bytes() + first_patch_element(load) * bytes,
          patch_elements(load) * bytes};
}

}  // namespace

std::optional<TransferRequest> transfer_request(const Operation& operation,
                                                const MachineConfig& config) {
  const std::optional<Channel> channel = transfer_channel(operation, config);
  const std::uint64_t row_bytes = config.row_bytes();
  if (const auto* load = std::get_if<Load>(&operation)) {
    if (load->patches) return patch_request(*load, channel, config);
    return TransferRequest{channel, Direction::kRead, load->host * row_bytes,
                           load->rows * row_bytes};
  }
  if (const auto* store = std::get_if<Store>(&operation)) {
    return TransferRequest{channel, Direction::kWrite, store->host * row_bytes,
                           store->rows * row_bytes};
  }
  const auto* fetch = std::get_if<Fetch>(&operation);
  if (fetch == nullptr || fetch->buffer) return std::nullopt;
  const std::uint64_t tile_bytes = config.tile_bytes();
  return TransferRequest{channel, Direction::kRead, kWeightMemory + fetch->tile * tile_bytes,
                         tile_bytes};
}

Cycle buffer_read_cycles(const Operation& operation, const MachineConfig& config) {
  const auto* fetch = std::get_if<Fetch>(&operation);
  if (fetch == nullptr || !fetch->buffer) return 0;
  return static_cast<Cycle>(buffer_tile_reads(*fetch->buffer, config));
}

Cycle row_write_cycles(const Operation& operation) {
  const auto* load = std::get_if<Load>(&operation);
  return load != nullptr && load->patches ? Cycle{load->rows} : 0;
}

}  // namespace weft
