// What observes a run, and the options of the simulator that follow.
#pragma once

#include <functional>
#include <iosfwd>

#include "runtime/workload/run_options.h"
#include "sim/simulate.h"

namespace weft::runtime {

/// None of these changes a result.
struct RunObservers {
  std::function<void(double)> progress = {};  // called with the share done, 0 to 1
  std::ostream* vcd = nullptr;                // stepped, rtl: receives a waveform of the array
  CycleRange vcd_cycles = {};
  /// Receives the first program and its result. Returns for how many cycles to record the array's
  /// inputs (record_array()). Not called without values.
  std::function<Cycle(const Program& program, const Result& result)> record = {};
  bool keep_timelines = false;  // of a network's programs
};

/// How simulate() runs with these choices and observers.
SimulateOptions simulate_options(const RunOptions& options, const RunObservers& observers);

}  // namespace weft::runtime
