#include "sim/machine/timed_matmul_unit.h"

namespace weft {

using sc_core::SC_ZERO_TIME;
using sc_core::wait;

TimedMatmulUnit::TimedMatmulUnit(sc_core::sc_module_name name, MachineContext& context,
                                 const UnitStreams& streams)
    : UnitModule(name, context), streams_(streams), array_(context.config) {
  SC_THREAD(weight_port);
  SC_THREAD(activation_port);
}

void TimedMatmulUnit::weight_port() {
  const UnitModule& fetch = *context_.units[Unit::kFetch];
  for (std::uint32_t tile = 0; tile < streams_[Unit::kFetch].size(); ++tile) {
    while (fetch.retired_count() <= tile) wait(fetch.retired_event());
    if (context_.config.double_buffer) {
      await_shadow_free(tile);
    } else {
      await_array_empty(tile);
    }
    wait_until(current_cycle(), kStartTick);
    context_.timeline.pushes.push_back(current_cycle());
    push_event_.notify(SC_ZERO_TIME);
    wait_until(current_cycle() + array_.push(), kDispatchTick);
  }
}

// The push may begin in the cycle in which the previous tile is swapped in.
void TimedMatmulUnit::await_shadow_free(std::uint32_t tile) {
  while (swapped_ < tile) wait(swap_event_);
}

void TimedMatmulUnit::await_array_empty(std::uint32_t tile) {
  if (tile >= streams_.tile_takers.size()) wait();  // no matmul takes the tile: waits for ever
  const std::uint32_t taker = streams_.tile_takers[tile];
  while (started_count() < taker) wait(started_event());
  while (!has_head()) wait(enqueued_event());
  wait_until(context_.timeline.instructions[head_index()].dispatched + 1, kStartTick);
  wait_until(array_empty_, kStartTick);
}

void TimedMatmulUnit::activation_port() {
  while (true) {
    const Head head = await_head();
    const auto& matmul = std::get<Matmul>(head.instruction.operation);
    if (matmul.next_weights) await_tile_in_shadow();
    wait_until(port_free_, kStartTick);
    const Cycle start = current_cycle();
    port_free_ = start + matmul.rows;
    array_empty_ = array_.empty(start, matmul.rows);
    start_head();
    retire_at(head.index, array_.retire(start, matmul.rows));
    if (!matmul.next_weights) continue;
    ++swapped_;
    swap_event_.notify(SC_ZERO_TIME);
  }
}

void TimedMatmulUnit::await_tile_in_shadow() {
  while (context_.timeline.pushes.size() <= swapped_) wait(push_event_);
  wait_until(context_.timeline.pushes[swapped_] + array_.push(), kStartTick);
}

}  // namespace weft
