#include "sim/machine/vector_unit.h"

#include <span>
#include <utility>

#include "sim/timing/array_timing.h"

namespace weft {

VectorUnit::VectorUnit(sc_core::sc_module_name name, MachineContext& context, MachineValues* values)
    : UnitModule(name, context), values_(values) {
  SC_THREAD(vector_loop);
  if (values_ != nullptr) SC_THREAD(write_loop);
}

void VectorUnit::vector_loop() {
  Cycle free = 0;
  while (true) {
    const Head head = await_head();
    wait_until(free, kStartTick);
    const Cycle start = current_cycle();
    const auto& vector = std::get<Vector>(head.instruction.operation);
    start_head();
    retire_at(head.index, vector_retire(start, vector.rows, context_.config));
    free = start + vector.rows;
    if (values_ != nullptr) read_rows(vector, start);
  }
}

void VectorUnit::read_rows(const Vector& vector, Cycle start) {
  values_->begin_vector(vector);
  for (std::uint32_t row = 0; row < vector.rows; ++row) {
    wait_until(start + row, kStartTick);
    const Cycle readable = current_cycle() + context_.config.vector_latency_cycles;
    const std::span<const std::byte> lanes = values_->vector_row(row);
    pending_.push_back({readable, &vector, row, {lanes.begin(), lanes.end()}});
    pending_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void VectorUnit::write_loop() {
  while (true) {
    while (pending_.empty()) sc_core::wait(pending_event_);
    wait_until(pending_.front().readable, kDispatchTick);
    const PendingRow row = std::move(pending_.front());
    pending_.pop_front();
    write_vector_row(*row.vector, row.index, row.lanes, context_.config, values_->buffer);
  }
}

}  // namespace weft
