// The matmul unit with the array inside: every cycle it decides what enters at the front and clocks
// every register of the array. Its control knows nothing of the closed forms of docs/timing.md;
// that its cycles equal theirs is what the tests show.
//
//   tiles --> [push control] --weight row-->  +-------+
//                                             | array | --> result row --> accumulators
//   UB rows -> [stream control] --act row-->  +-------+
//
// It sleeps while nothing can enter and long enough after the last row that no register of the
// array would change; any dispatch, retirement or arriving tile wakes it.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/array/progress_meter.h"
#include "sim/array/stepped_array.h"
#include "sim/isa/row_generator.h"
#include "sim/machine/machine_values.h"
#include "sim/machine/unit.h"

namespace weft {

template <class Arithmetic>
class ClockedMatmulUnit : public UnitModule {
 public:
  using Operand = typename Arithmetic::Operand;
  using Psum = typename Arithmetic::Psum;

  SC_HAS_PROCESS(ClockedMatmulUnit);
  ClockedMatmulUnit(sc_core::sc_module_name name, MachineContext& context,
                    TypedMachineValues<Arithmetic>& values, ProgressMeter& progress)
      : UnitModule(name, context),
        values_(values),
        progress_(progress),
        rows_(context.config.array_rows),
        cols_(context.config.array_cols),
        array_(rows_, cols_),
        act_row_(rows_),
        tile_(std::size_t{rows_} * cols_) {
    SC_THREAD(clock_loop);
  }

 private:
  // Where a result row goes when it leaves the array.
  struct Destination {
    std::uint32_t instruction;
    std::uint32_t acc;
    bool accumulate;
    bool last;
  };

  void clock_loop() {
    while (true) {
      await_work();
      cycle();
      wait_until(current_cycle() + 1, kStartTick);
    }
  }

  void cycle() {
    typename SteppedArray<Arithmetic>::Inputs inputs;
    drain_left_ -= drain_left_ > 0 ? 1 : 0;
    const bool enters = stream_control(inputs.swap);
    if (enters) drain_left_ = rows_ + cols_ - 1;
    const bool pushes = push_control();
    if (enters) inputs.act_row = act_row_.data();
    if (pushes) inputs.weight_row = tile_.data() + std::size_t{push_rows_left_} * cols_;
    quiet_cycles_ = enters || pushes ? 0 : quiet_cycles_ + 1;
    take_result(array_.step(inputs));
  }

  // Decides whether a row enters in this cycle, and puts it into act_row_.
  bool stream_control(bool& swap) {
    if (rows_left_ == 0) {
      if (!can_start()) return false;
      start_stream();
      swap = matmul_->next_weights;
    }
    const std::uint32_t row = matmul_->rows - rows_left_;
    load_act_row(walk_[row]);
    --rows_left_;
    in_flight_.push_back({stream_index_, matmul_->acc + row, matmul_->accumulate, rows_left_ == 0});
    return true;
  }

  bool can_start() const {
    if (!head_dispatched() || !head_dependences_met()) return false;
    return !head_matmul().next_weights || shadow_full_;
  }

  void start_stream() {
    stream_index_ = head_index();
    matmul_ = &head_matmul();
    rows_left_ = matmul_->rows;
    walk_.clear();
    for_each_row(matmul_->ub, matmul_->rows, [this](auto, auto row) { walk_.push_back(row); });
    if (matmul_->next_weights) shadow_full_ = false;
    start_head();
  }

  // Decides whether a weight row is pushed in this cycle: row push_rows_left_ of tile_, the bottom
  // row first. The shadow that this cycle's swap empties is free for this cycle's push.
  bool push_control() {
    if (push_rows_left_ == 0) {
      if (!can_push()) return false;
      take_tile();
      context_.timeline.pushes.push_back(current_cycle());
    }
    --push_rows_left_;
    shadow_full_ = push_rows_left_ == 0;
    return true;
  }

  bool can_push() const {
    if (shadow_full_ || values_.tiles.empty()) return false;
    if (context_.config.double_buffer) return true;
    return rows_left_ == 0 && drain_left_ == 0 && head_dispatched() && head_matmul().next_weights;
  }

  void take_tile() {
    widen(values_.tiles.front(), tile_);
    values_.tiles.pop_front();
    push_rows_left_ = rows_;
  }

  void load_act_row(std::optional<std::int64_t> row) {
    if (row) {
      widen(values_.buffer.row(static_cast<std::uint64_t>(*row)), act_row_);
    } else {
      std::ranges::fill(act_row_, Arithmetic::widen(Arithmetic::from_bits(matmul_->ub.pad)));
    }
  }

  void take_result(std::span<const Psum> result) {
    if (result.empty()) return;
    const Destination to = in_flight_.front();
    in_flight_.pop_front();
    const std::span<Psum> acc = values_.accumulators.row(to.acc);
    if (to.accumulate) {
      std::ranges::transform(acc, result, acc.begin(), Arithmetic::add);
    } else {
      std::ranges::copy(result, acc.begin());
    }
    if (to.last) retire_at(to.instruction, current_cycle());
  }

  void on_retire(std::uint32_t index) override { progress_.done(context_.program.code[index]); }

  static void widen(std::span<const std::byte> bytes, std::vector<Operand>& out) {
    if constexpr (std::is_same_v<typename Arithmetic::Element, Operand>) {
      std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Operand));
      return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      typename Arithmetic::Element element;
      std::memcpy(&element, bytes.data() + i * sizeof(element), sizeof(element));
      out[i] = Arithmetic::widen(element);
    }
  }

  const Matmul& head_matmul() const {
    return std::get<Matmul>(context_.program.code[head_index()].operation);
  }

  // With double buffering the pushes need no instruction; otherwise they wait for the head.
  bool asleep() const {
    const bool settled = rows_left_ == 0 && push_rows_left_ == 0 && in_flight_.empty() &&
                         quiet_cycles_ > 2 * (rows_ + cols_);
    if (!settled || (context_.config.double_buffer && can_push())) return false;
    if (!has_head()) return true;
    const bool weights = !head_matmul().next_weights || shadow_full_ || !values_.tiles.empty();
    const bool may_push = !context_.config.double_buffer && head_matmul().next_weights &&
                          !shadow_full_ && !values_.tiles.empty();
    return !may_push && !(weights && head_dependences_met());
  }

  void await_work() {
    while (asleep()) {
      sc_core::sc_event_or_list wake;
      for (const UnitModule* unit : context_.units) wake |= unit->retired_event();
      wake |= enqueued_event();
      sc_core::wait(wake);
    }
    wait_until(current_cycle(), kStartTick);
  }

  TypedMachineValues<Arithmetic>& values_;
  ProgressMeter& progress_;
  const std::uint32_t rows_;
  const std::uint32_t cols_;
  SteppedArray<Arithmetic> array_;

  // Stream control.
  const Matmul* matmul_ = nullptr;
  std::uint32_t stream_index_ = 0;
  std::vector<std::optional<std::int64_t>> walk_;  // the UB row of each row, none for padding
  std::uint32_t rows_left_ = 0;
  std::vector<Operand> act_row_;
  std::deque<Destination> in_flight_;

  // Push control.
  std::vector<Operand> tile_;
  std::uint32_t push_rows_left_ = 0;
  bool shadow_full_ = false;

  std::uint32_t drain_left_ = 0;  // cycles until the last row that entered has left the last PE
  std::uint32_t quiet_cycles_ = 1U << 20;  // since anything entered
};

}  // namespace weft
