// The result of a simulation: times, the ledger, which sums to the total, and counters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/analysis/events.h"
#include "sim/timing/critical_path.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Counts every cycle of a run once (docs/timing.md has the rule of precedence).
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

  Cycle sum() const;
  friend bool operator==(const CycleLedger&, const CycleLedger&) = default;
};

/// One class of the ledger and its name in reports.
struct LedgerClass {
  std::string_view name;
  Cycle CycleLedger::*cycles;
};

/// All classes, in their order of precedence.
inline constexpr std::array<LedgerClass, 9> kLedgerClasses = {{
    {"array_active", &CycleLedger::array_active},
    {"weight_shift", &CycleLedger::weight_shift},
    {"weight_stall", &CycleLedger::weight_stall},
    {"input_stall", &CycleLedger::input_stall},
    {"raw_stall", &CycleLedger::raw_stall},
    {"fill_drain", &CycleLedger::fill_drain},
    {"vector", &CycleLedger::vector},
    {"output", &CycleLedger::output},
    {"idle", &CycleLedger::idle},
}};

inline Cycle CycleLedger::sum() const {
  Cycle total = 0;
  for (const LedgerClass& entry : kLedgerClasses) total += this->*entry.cycles;
  return total;
}

/// The difference, class by class.
inline CycleLedger operator-(CycleLedger later, const CycleLedger& earlier) {
  for (const LedgerClass& entry : kLedgerClasses) later.*entry.cycles -= earlier.*entry.cycles;
  return later;
}

struct Traffic {
  std::uint64_t weight_bytes = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct Result {
  Timeline timeline;  // empty if the run was not asked to keep it
  std::uint64_t instructions = 0;
  std::uint64_t skipped_instructions = 0;  // of them not replayed, because they repeat others
  Cycle total = 0;                         // last retirement + 1
  Cycle array_span = 0;     // first weight push to the last PE's last product; 0 without a matmul
  CycleLedger ledger;       // ledger.sum() == total
  CycleLedger span_ledger;  // of the cycles of the array span
  CriticalPath critical_path;  // critical_path.sum() == total
  Traffic traffic;
  std::uint64_t issued_macs = 0;      // rows streamed * R * C
  EventCounts events;                 // what takes energy
  std::uint64_t compared_cycles = 0;  // cycles that lock-step checking found equal
};

}  // namespace weft
