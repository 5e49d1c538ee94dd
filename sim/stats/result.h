// What a simulation returns: times, the ledger that sums to the total, and counters.
#pragma once

#include <cstdint>

#include "sim/timing/timeline.h"

namespace weft {

/// Every cycle of a run, accounted for once (docs/timing.md has the rule of precedence).
struct CycleLedger {
  Cycle array_active = 0;
  Cycle weight_shift = 0;
  Cycle weight_stall = 0;
  Cycle input_stall = 0;
  Cycle raw_stall = 0;
  Cycle fill_drain = 0;
  Cycle vector = 0;
  Cycle output = 0;
  Cycle idle = 0;

  Cycle sum() const {
    return array_active + weight_shift + weight_stall + input_stall + raw_stall + fill_drain +
           vector + output + idle;
  }
  friend bool operator==(const CycleLedger&, const CycleLedger&) = default;
};

struct Traffic {
  std::uint64_t weight_bytes = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct Result {
  Timeline timeline;
  Cycle total = 0;       // last retirement + 1
  Cycle array_span = 0;  // first weight push to the last PE's last product; 0 without a matmul
  CycleLedger ledger;    // ledger.sum() == total
  Traffic traffic;
  std::uint64_t issued_macs = 0;  // rows streamed * R * C
};

}  // namespace weft
