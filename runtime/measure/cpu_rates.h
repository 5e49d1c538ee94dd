// Measures what this computer's processor does per clock by timing short loops. The system might
// not allow its counters, and the processor's name does not tell.
//
//   clock   a chain of additions, each of which needs the previous one: one per clock
//   FMAs    independent fused multiply-adds on whole vectors, at this clock
//
// Each figure is from the fastest of several bursts of about 50 us, since other work of the
// computer can only lengthen a burst.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::runtime {

/// The current clock of the caller's core; nullopt on processors without a loop for it.
std::optional<double> core_clock_hz();

struct CpuVectorUnit {
  std::string instruction_set = {};  // "AVX3"
  std::uint32_t lanes = 0;           // float32 numbers in a vector
  std::uint32_t fmas_per_clock = 0;  // vectors per clock; rounded, at least 1
};

/// The vector unit of the caller's core; nullopt without a clock.
std::optional<CpuVectorUnit> vector_unit();

struct Processor {
  std::string name = {};    // "AMD EPYC", or "this processor"
  std::uint32_t cores = 1;  // usable by this process; threads of one core count once
};

Processor this_processor();

}  // namespace weft::runtime
