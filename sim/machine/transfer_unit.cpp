#include "sim/machine/transfer_unit.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sim/array/buffer_tile.h"
#include "sim/isa/row_access.h"
#include "sim/machine/memory_channel.h"

namespace weft {

TransferUnit::TransferUnit(sc_core::sc_module_name name, MachineContext& context,
                           MachineValues* values)
    : UnitModule(name, context), socket("socket"), values_(values) {
  SC_THREAD(transfer_loop);
  if (values_ != nullptr) SC_THREAD(buffer_loop);
}

void TransferUnit::transfer_loop() {
  while (true) {
    const Head head = await_head();
    const Cycle reads = buffer_read_cycles(head.instruction.operation, context_.config);
    const Cycle arrived = reads > 0 ? read_buffer(head, reads) : transfer(head);
    // Transfers arrive in order: a tile from memory waits for one that is still read from the
    // buffer.
    last_retired_ = std::max(last_retired_, arrived);
    start_head();
    retire_at(head.index, last_retired_);
  }
}

// The buffer is read while the unit works on its next transfer.
Cycle TransferUnit::read_buffer(const Head& head, Cycle reads) {
  wait_until(buffer_port_free_, kStartTick);
  const Cycle start = current_cycle();
  buffer_port_free_ = start + reads;
  if (values_ != nullptr) {
    arriving_.emplace_back(context_.config.tile_bytes());
    buffer_reads_.push_back(
        {&*std::get<Fetch>(head.instruction.operation).buffer, start, std::span(arriving_.back())});
    buffer_read_event_.notify(sc_core::SC_ZERO_TIME);
  }
  return start + reads - 1;
}

void TransferUnit::buffer_loop() {
  while (true) {
    while (buffer_reads_.empty()) sc_core::wait(buffer_read_event_);
    const BufferRead read = buffer_reads_.front();
    const auto rows = static_cast<std::uint32_t>(buffer_tile_reads(*read.tile, context_.config));
    for (std::uint32_t index = 0; index < rows; ++index) {
      wait_until(read.start + index, kStartTick);
      read_tile_row(*read.tile, index, context_.config, values_->buffer, read.out);
    }
    buffer_reads_.pop_front();
  }
}

Cycle TransferUnit::transfer(const Head& head) {
  const Operation& operation = head.instruction.operation;
  ChannelRequest request;
  request.transfer = *transfer_request(operation, context_.config);
  request.index = head.index;
  tlm::tlm_generic_payload payload;
  payload.set_extension(&request);
  payload.set_address(request.transfer.address);
  const Cycle writes = row_write_cycles(operation);
  if (writes > 0) request.patches = &std::get<Load>(operation);
  // Fits TLM's 32-bit length: a transfer is a tile or at most the unified buffer, below 4 GiB. The
  // data of a load of patches are its rows, not the bytes that the channel carries.
  const auto bytes = static_cast<unsigned>(writes > 0 ? static_cast<std::uint64_t>(writes) *
                                                            context_.config.row_bytes()
                                                      : request.transfer.bytes);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  if (values_ != nullptr) attach_data(payload, operation);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  payload.clear_extension(&request);
  const Cycle arrived = static_cast<Cycle>((now_ticks() + delay.value()) / kTicksPerCycle) - 1;
  if (writes == 0) return arrived;
  // The rows are written one a cycle, from the first byte on and after the load before.
  const std::optional<Channel> channel = request.transfer.channel;
  const Cycle first_byte =
      current_cycle() + (channel ? latency_cycles(*channel, context_.config) : 0);
  return std::max(arrived, std::max(first_byte, last_retired_ + 1) + writes - 1);
}

// A store reads directly from the buffer. The data of a load or fetch waits in `arriving_` until
// the instruction retires.
void TransferUnit::attach_data(tlm::tlm_generic_payload& payload, const Operation& operation) {
  if (const auto* store = std::get_if<Store>(&operation)) {
    const std::span<std::byte> rows = values_->buffer.rows_from(store->ub, store->rows);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(rows.data()));
    return;
  }
  std::vector<std::byte> data = std::move(spare_);
  data.resize(payload.get_data_length());
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  arriving_.push_back(std::move(data));  // moving keeps the pointer valid
}

void TransferUnit::on_retire(std::uint32_t index) {
  const Operation& operation = context_.program.code[index].operation;
  if (values_ == nullptr || std::holds_alternative<Store>(operation)) return;
  std::vector<std::byte> data = std::move(arriving_.front());
  arriving_.pop_front();
  if (const auto* load = std::get_if<Load>(&operation)) {
    std::ranges::copy(data, values_->buffer.rows_from(load->ub, load->rows).begin());
    spare_ = std::move(data);
  } else {
    values_->tiles.push_back(std::move(data));
  }
}

}  // namespace weft
