// What this computer's processor does in a clock, found by timing short loops: no counter that the
// system might not give, and no name from which to guess.
//
//   clock   a chain of additions, each of which needs the one before: one a clock
//   FMAs    independent fused multiply-adds on whole vectors, at the clock just found
//
// Each figure is that of the fastest of several bursts of some 50 us, since whatever else the
// computer does only makes a burst longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::cli {

/// The clock of the core on which the caller runs, at this moment; none where the loop has not been
/// written for the processor.
std::optional<double> core_clock_hz();

struct VectorUnit {
  std::string instruction_set = {};  // "AVX3"
  std::uint32_t lanes = 0;           // float32 in a vector
  std::uint32_t fmas_per_clock = 0;  // vectors; rounded, at least 1
};

/// The vector unit of that core; none without a clock.
std::optional<VectorUnit> vector_unit();

struct Processor {
  std::string name = {};    // "AMD EPYC", or "this processor"
  std::uint32_t cores = 1;  // that this process may use; threads of one core count once
};

Processor this_processor();

}  // namespace weft::cli
