#include "sim/timing/channel_clock.h"

#include <numeric>

#include "base/error.h"

namespace weft {
namespace {

// bytes * numerator exceeds 64 bits for large transfers on fast clocks.
__extension__ using Wide = unsigned __int128;

}  // namespace

Cycle checked(Cycle cycle) {
  if (cycle >= kMaxCycle) {
    throw SimulationError(
        "the run takes 2^47 cycles or more, which no engine can count; raise memory.gb_per_s or "
        "host.gb_per_s, lower the latencies, or use a smaller workload");
  }
  return cycle;
}

ChannelClock::ChannelClock(std::uint64_t clock_hz, std::uint64_t bytes_per_s) {
  const std::uint64_t divisor = std::gcd(clock_hz, bytes_per_s);
  cycles_numerator_ = clock_hz / divisor;
  cycles_denominator_ = bytes_per_s / divisor;
}

Cycle ChannelClock::occupy(Cycle ready, const TransferRequest& request) {
  if (ready > free_cycle_) {
    free_cycle_ = ready;
    free_fraction_ = 0;
  }
  const Wide busy = Wide{request.bytes} * cycles_numerator_ + free_fraction_;
  const Wide whole = busy / cycles_denominator_;
  if (whole >= Wide{static_cast<std::uint64_t>(kMaxCycle)}) checked(kMaxCycle);
  free_cycle_ = checked(free_cycle_ + static_cast<Cycle>(whole));
  free_fraction_ = static_cast<std::uint64_t>(busy % cycles_denominator_);
  return free_fraction_ == 0 ? free_cycle_ - 1 : free_cycle_;
}

}  // namespace weft
