// When a memory channel is busy, in exact rational arithmetic.
//
//   cycle      4         5         6         7
//              |---- A ----|-- B --|          |       bytes * clock_hz / bytes_per_s cycles each
//                                                     a fraction of a cycle is carried over
//
// The channel's free time is cycle + fraction/denominator, so no transfer ever drifts by rounding:
// a 64 KiB tile at 34 GB/s and 700 MHz takes 1349 or 1350 cycles, 1349.27 on average.
#pragma once

#include <cstdint>

#include "sim/isa/run_state.h"
#include "sim/timing/timeline.h"
#include "sim/timing/transfers.h"

namespace weft {

/// Simulated times must stay below this cycle; a longer run throws SimulationError.
inline constexpr Cycle kMaxCycle = Cycle{1} << 47;

/// Returns `cycle`, or throws SimulationError if it is kMaxCycle or more.
Cycle checked(Cycle cycle);

class ChannelClock {
 public:
  /// Both rates must be at least 1.
  ChannelClock(std::uint64_t clock_hz, std::uint64_t bytes_per_s);

  /// The first cycle in which the channel is free for at least a part of the cycle.
  Cycle free_cycle() const { return free_cycle_; }
  /// The part of that cycle, below 1, in which the channel is not free yet.
  double free_share() const {
    return static_cast<double>(free_fraction_) / static_cast<double>(cycles_denominator_);
  }

  /// Occupies the channel for the request's bytes (at least 1), from the beginning of cycle `ready`
  /// or from the moment at which the channel is free, whichever is later. Returns the cycle in
  /// which the last byte is on the channel. The address makes no difference.
  Cycle occupy(Cycle ready, const TransferRequest& request);

  /// No later transfer is ready in this cycle or before: the fraction of an earlier cycle can be
  /// forgotten.
  void forget_before(Cycle cycle) {
    if (free_cycle_ <= cycle) free_fraction_ = 0;
  }
  /// Shows the state; no later transfer is ready in cycle `frontier` or before.
  void visit(StateVisitor& visitor, Cycle frontier) {
    visitor.cycle(free_cycle_, free_cycle_ <= frontier);
    visitor.equal(free_fraction_);
  }

 private:
  std::uint64_t cycles_numerator_;  // cycles per byte, as a reduced fraction
  std::uint64_t cycles_denominator_;
  Cycle free_cycle_ = 0;
  std::uint64_t free_fraction_ = 0;  // of cycles_denominator_
};

}  // namespace weft
