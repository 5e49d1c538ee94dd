// The matmul unit with every register of its datapath: every cycle it decides what enters at the
// front and clocks array and accumulators. Its control does not use the closed forms of
// docs/timing.md; tests show that its cycles agree with them. The datapath is C++ or RTL.
//
//   tiles --> [push control] --weight row-->  +----------+
//                                             | datapath | --> row written, perhaps the last
//   UB rows -> [stream control] --act row-->  +----------+
//
// It sleeps when the program is over, or when nothing can enter and no register of the array would
// change any more. Any dispatch, retirement or arriving tile wakes it.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "sim/array/datapath.h"
#include "sim/array/progress_meter.h"
#include "sim/isa/row_generator.h"
#include "sim/machine/machine_values.h"
#include "sim/machine/unit.h"

namespace weft {

template <class Arithmetic>
class ClockedMatmulUnit : public UnitModule {
 public:
  using Element = typename Arithmetic::Element;

  SC_HAS_PROCESS(ClockedMatmulUnit);
  ClockedMatmulUnit(sc_core::sc_module_name name, MachineContext& context,
                    TypedMachineValues<Arithmetic>& values, Datapath<Arithmetic>& datapath,
                    ProgressMeter& progress)
      : UnitModule(name, context),
        values_(values),
        datapath_(datapath),
        progress_(progress),
        rows_(context.config.array_rows),
        cols_(context.config.array_cols),
        act_row_(rows_),
        tile_(std::size_t{rows_} * cols_) {
    SC_THREAD(clock_loop);
  }

 private:
  // The matmul to which a row in the array belongs.
  struct RowInFlight {
    std::uint32_t instruction;
    bool last;
  };

  // SystemC would turn an exception that leaves a process into its own report. So an exception of
  // the datapath is kept in the context, and the simulation ends.
  void clock_loop() {
    while (true) {
      await_work();
      try {
        cycle();
      } catch (...) {
        context_.failure = std::current_exception();
        sc_core::sc_pause();  // sc_stop() would print to stdout
        return;
      }
      wait_until(current_cycle() + 1, kStartTick);
    }
  }

  void cycle() {
    typename Datapath<Arithmetic>::Inputs inputs;
    inputs.cycle = current_cycle();
    drain_left_ -= drain_left_ > 0 ? 1 : 0;
    const bool enters = stream_control(inputs);
    if (enters) drain_left_ = rows_ + cols_ - 1;
    const bool pushes = push_control();
    if (pushes) inputs.weight_row = tile_.data() + std::size_t{push_rows_left_} * cols_;
    quiet_cycles_ = enters || pushes ? 0 : quiet_cycles_ + 1;
    if (datapath_.step(inputs)) row_written();
  }

  // Decides whether a row enters in this cycle.
  bool stream_control(typename Datapath<Arithmetic>::Inputs& inputs) {
    if (rows_left_ == 0) {
      if (!can_start()) return false;
      start_stream();
      inputs.swap = matmul_->next_weights;
    }
    const std::uint32_t row = matmul_->rows - rows_left_;
    load_act_row(walk_[row]);
    inputs.act_row = act_row_.data();
    inputs.acc_row = matmul_->acc + row;
    inputs.accumulate = matmul_->accumulate;
    --rows_left_;
    in_flight_.push_back({stream_index_, rows_left_ == 0});
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
    copy(values_.tiles.front(), tile_);
    values_.tiles.pop_front();
    push_rows_left_ = rows_;
  }

  void load_act_row(std::optional<std::int64_t> row) {
    if (row) {
      copy(values_.buffer.row(static_cast<std::uint64_t>(*row)), act_row_);
    } else {
      std::ranges::fill(act_row_, Arithmetic::from_bits(matmul_->ub.pad));
    }
  }

  void row_written() {
    const RowInFlight row = in_flight_.front();
    in_flight_.pop_front();
    if (row.last) retire_at(row.instruction, current_cycle());
  }

  void on_retire(std::uint32_t index) override { progress_.done(context_.program.code[index]); }

  static void copy(std::span<const std::byte> bytes, std::vector<Element>& out) {
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Element));
  }

  const Matmul& head_matmul() const {
    return std::get<Matmul>(context_.program.code[head_index()].operation);
  }

  bool all_retired() const {
    std::size_t retired = 0;
    for (const UnitModule* unit : context_.units) retired += unit->retired_count();
    return retired == context_.program.code.size();
  }

  // With double buffering a push needs no matmul at the head of the queue; otherwise it waits for
  // one.
  bool asleep() const {
    if (in_flight_.empty() && all_retired()) return true;
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
      if (wake_.size() == 0) list_wake_events();
      sc_core::wait(wake_);
    }
    wait_until(current_cycle(), kStartTick);
  }

  void list_wake_events() {
    for (const UnitModule* unit : context_.units) wake_ |= unit->retired_event();
    wake_ |= enqueued_event();
  }

  TypedMachineValues<Arithmetic>& values_;
  Datapath<Arithmetic>& datapath_;
  ProgressMeter& progress_;
  /// A member, because SystemC frees the stack of a process that sleeps at the end of a simulation
  /// without calling the destructors of what lies there.
  sc_core::sc_event_or_list wake_;
  const std::uint32_t rows_;
  const std::uint32_t cols_;

  // Stream control.
  const Matmul* matmul_ = nullptr;
  std::uint32_t stream_index_ = 0;
  std::vector<std::optional<std::int64_t>> walk_;  // UB row of each row; nullopt: padding
  std::uint32_t rows_left_ = 0;
  std::vector<Element> act_row_;
  std::deque<RowInFlight> in_flight_;

  // Push control.
  std::vector<Element> tile_;
  std::uint32_t push_rows_left_ = 0;
  bool shadow_full_ = false;

  std::uint32_t drain_left_ = 0;  // cycles until the last row that entered has left the last PE
  std::uint32_t quiet_cycles_ = 1U << 20;  // cycles since anything entered
};

}  // namespace weft
