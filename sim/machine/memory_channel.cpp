#include "sim/machine/memory_channel.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "sim/isa/program.h"
#include "sim/machine/clock.h"
#include "sim/memory/patch_reader.h"

namespace weft {

tlm::tlm_extension_base* ChannelRequest::clone() const {
  auto copy = std::make_unique<ChannelRequest>();
  copy->copy_from(*this);
  return copy.release();  // TLM's interface passes ownership by pointer
}

void ChannelRequest::copy_from(const tlm::tlm_extension_base& other) {
  const auto& request = dynamic_cast<const ChannelRequest&>(other);
  transfer = request.transfer;
  patches = request.patches;
  index = request.index;
}

MemoryChannel::MemoryChannel(sc_core::sc_module_name name, const MachineConfig& config,
                             std::optional<Channel> channel, HostMemory* memory)
    : sc_module(name),
      socket("socket"),
      config_(config),
      channel_(channel),
      memory_(memory),
      clock_(config.clock_hz, channel ? bytes_per_second(*channel, config) : 1) {
  socket.register_b_transport(this, &MemoryChannel::transport);
  if (channel_) SC_THREAD(grant_loop);
}

void MemoryChannel::transport(int /*id*/, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& delay) {
  const Cycle retired =
      channel_ ? await_grant(*payload.get_extension<ChannelRequest>()) : current_cycle();
  move_data(payload);
  delay += ticks(moment(retired + 1, kDispatchTick) - now_ticks());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

Cycle MemoryChannel::await_grant(const ChannelRequest& request) {
  WaitingTransfer waiting{request, current_cycle()};
  waiting_.push_back(&waiting);
  requested_.notify(sc_core::SC_ZERO_TIME);
  sc_core::wait(waiting.granted);
  return waiting.retired;
}

void MemoryChannel::move_data(tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;  // no values, only time
  const std::uint64_t address = payload.get_address();
  auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  const std::span<std::byte> bytes(data, payload.get_data_length());
  const Load* patches = payload.get_extension<ChannelRequest>()->patches;
  if (patches != nullptr) {
    read_load(*memory_, *patches, config_, bytes);
  } else if (payload.is_write()) {
    memory_->write_rows(address / config_.row_bytes(), bytes);
  } else if (address >= kWeightMemory) {
    memory_->read_tile((address - kWeightMemory) / config_.tile_bytes(), bytes);
  } else {
    memory_->read_rows(address / config_.row_bytes(), bytes);
  }
}

void MemoryChannel::grant_loop() {
  while (true) {
    while (waiting_.empty()) sc_core::wait(requested_);
    // All requests of this cycle must arrive before one of them is chosen. After a grant, the next
    // one waits a tick, so that the served unit can request again.
    wait_until(std::max(current_cycle(), clock_.free_cycle()), kGrantTick);
    grant_oldest();
    sc_core::wait(ticks(1));
  }
}

void MemoryChannel::grant_oldest() {
  const auto oldest = std::ranges::min_element(
      waiting_, {}, [](const WaitingTransfer* waiting) { return waiting->request.index; });
  WaitingTransfer& granted = **oldest;
  waiting_.erase(oldest);
  const Cycle last_byte = clock_.occupy(granted.ready, granted.request.transfer);
  granted.retired = checked(last_byte + latency_cycles(*channel_, config_));
  granted.granted.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace weft
