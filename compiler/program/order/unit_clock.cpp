#include "compiler/program/order/unit_clock.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "sim/timing/transfers.h"

namespace weft::compiler {

UnitClock::UnitClock(const MachineConfig& config) : config_(config), array_(config) {
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    channels_.emplace_back(config.clock_hz, bytes_per_second(static_cast<Channel>(c), config));
  }
}

Cycle UnitClock::earliest(const Operation& operation, Cycle ready) const {
  const Cycle start = std::max(free_[unit_of(operation)], ready);
  if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    return matmul->next_weights ? std::max(start, shadow_free_ + array_.push()) : start;
  }
  const auto channel = transfer_channel(operation, config_);
  if (!channel) return start;
  return std::max(start, channels_[static_cast<std::size_t>(*channel)].free_cycle());
}

Cycle UnitClock::run(const Operation& operation, Cycle start) {
  // The array pushes a tile after its fetch and before its matmul.
  const Cycle pushes = unit_of(operation) == Unit::kFetch ? array_.push() : 0;
  return retire(operation, start) + 1 + pushes;
}

Cycle UnitClock::retire(const Operation& operation, Cycle start) {
  if (const auto* vector = std::get_if<Vector>(&operation)) {
    free_[Unit::kVector] = start + Cycle{vector->rows};
    return vector_retire(start, vector->rows, config_);
  }
  if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    free_[Unit::kMatmul] = start + Cycle{matmul->rows};
    if (matmul->next_weights) shadow_free_ = start;
    if (!config_.double_buffer) shadow_free_ = array_.empty(start, matmul->rows);
    return array_.retire(start, matmul->rows);
  }
  const Unit unit = unit_of(operation);
  free_[unit] = start;
  Cycle& retired = retired_[unit];
  retired = std::max(retired, transfer(operation, start));
  return retired;
}

/// Occupies the channel of a transfer. Returns the cycle in which it is complete.
Cycle UnitClock::transfer(const Operation& operation, Cycle start) {
  const auto request = transfer_request(operation, config_);
  if (!request) {
    const Cycle reads = buffer_read_cycles(operation, config_);
    free_[Unit::kFetch] = start + reads;
    return start + reads - 1;
  }
  Cycle end = start;
  if (request->channel) {
    ChannelClock& channel = channels_[static_cast<std::size_t>(*request->channel)];
    end = channel.occupy(start, *request) + latency_cycles(*request->channel, config_);
  }
  return std::max(end, start + row_write_cycles(operation) - 1);
}

}  // namespace weft::compiler
