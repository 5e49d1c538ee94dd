#include "sim/machine/unit.h"

#include "sim/timing/channel_clock.h"

namespace weft {

using sc_core::SC_ZERO_TIME;
using sc_core::wait;

UnitModule::UnitModule(sc_core::sc_module_name name, MachineContext& context)
    : sc_module(name), context_(context) {
  SC_THREAD(retire_loop);
}

void UnitModule::enqueue(std::uint32_t index) {
  queue_.push_back(index);
  context_.timeline.instructions[index].dispatched = current_cycle();
  enqueued_event_.notify(SC_ZERO_TIME);
}

UnitModule::Head UnitModule::await_head() {
  while (queue_.empty()) wait(enqueued_event_);
  const std::uint32_t index = queue_.front();
  const Instruction& instruction = context_.program.code[index];
  wait_until(context_.timeline.instructions[index].dispatched + 1, kStartTick);
  for (const Unit unit : kUnits) {
    UnitModule& other = *context_.units[unit];
    while (other.retired_count() < instruction.after[unit]) wait(other.retired_event());
  }
  wait_until(current_cycle(), kStartTick);
  return {index, instruction};
}

bool UnitModule::head_dispatched() const {
  return has_head() && context_.timeline.instructions[queue_.front()].dispatched < current_cycle();
}

bool UnitModule::head_dependences_met() const {
  const After& after = context_.program.code[queue_.front()].after;
  for (const Unit unit : kUnits) {
    if (context_.units[unit]->retired_count() < after[unit]) return false;
  }
  return true;
}

void UnitModule::start_head() {
  context_.timeline.instructions[queue_.front()].started = current_cycle();
  queue_.pop_front();
  ++started_;
  started_event_.notify(SC_ZERO_TIME);
}

void UnitModule::retire_at(std::uint32_t index, Cycle cycle) {
  context_.timeline.instructions[index].retired = checked(cycle);
  retiring_.push_back(index);
  retiring_event_.notify(SC_ZERO_TIME);
}

void UnitModule::retire_loop() {
  while (true) {
    while (retiring_.empty()) wait(retiring_event_);
    const std::uint32_t index = retiring_.front();
    wait_until(context_.timeline.instructions[index].retired + 1, kDispatchTick);
    on_retire(index);
    retiring_.pop_front();
    ++retired_;
    retired_event_.notify(SC_ZERO_TIME);
  }
}

}  // namespace weft
