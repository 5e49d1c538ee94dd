// What a point of a sweep found: numbers of fixed size, so that they pass between processes as
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "compiler/mapping/bound/bound.h"
#include "sim/analysis/result.h"

namespace weft::sweep {

struct Figures {
  Cycle cycles = 0;
  CycleLedger ledger;
  CriticalPath path;
  Cycle bound = 0;  // 0: not known
  compiler::BoundBy bound_by = compiler::BoundBy::kArray;
  Traffic traffic;
  std::uint64_t useful_macs = 0;
  std::uint64_t issued_macs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t programs = 0;
  std::uint64_t layers = 0;       // on the machine
  std::uint64_t host_layers = 0;  // whose time is in no cycle
  double joules = 0;              // NaN without a table of energies
  double static_joules = 0;       // of them
  double area_mm2 = 0;            // of the array's cells; NaN without a table that has areas
};
static_assert(std::is_trivially_copyable_v<Figures>);

/// The end of a point's run.
struct Outcome {
  std::uint64_t number = 0;  // of the point
  Figures figures;
  double seconds = 0;  // that this computer took
  std::string error;   // one line; empty if the figures count
  /// The error is a MissingError: it is about this computer, not about the point.
  bool missing = false;
};

/// The outcome as bytes for another process that runs the same program, and back. Throws
/// SimulationError for bytes that are no outcome.
std::string to_bytes(const Outcome& outcome);
Outcome outcome_of(std::string_view bytes);

}  // namespace weft::sweep
