#include "runtime/job/run_observers.h"

namespace weft::runtime {

SimulateOptions simulate_options(const RunOptions& options, const RunObservers& observers) {
  SimulateOptions simulate;
  simulate.engine = options.engine;
  simulate.threads = options.threads;
  simulate.progress = observers.progress;
  simulate.lockstep = options.lockstep;
  simulate.vcd = observers.vcd;
  simulate.vcd_cycles = observers.vcd_cycles;
  return simulate;
}

}  // namespace weft::runtime
