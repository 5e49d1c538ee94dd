// Runs a workload over a range of one key of the machine, or a network over a range of its batch:
// --sweep memory.gb_per_s=100..800:100 or batch=1..64*2. The points are like those of sizes
// (runtime/analysis/sweep.h): planned again and simulated on the analytic engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/analysis/sweep.h"
#include "runtime/network_run.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct ValueSweepRequest {
  std::string name;  // a key of the machine, or batch
  std::vector<std::string> values = {};
  std::optional<std::string> step = {};  // of LO..HI; lists and the like have none
  bool step_chosen = false;
};

/// The workload of such a sweep.
struct SweptRuns {
  std::string kind;   // product, convolution, network
  std::string title;  // for people
  bool has_batch = false;
  /// Runs the workload on a machine; `batch` is set in a sweep over it. Throws InputError,
  /// ConfigError.
  std::function<NetworkRun(const MachineConfig&, std::optional<std::int64_t> batch)> run = {};
};

/// True if the request is one of sizes: m=, k= or n=.
bool sweeps_size(std::string_view text);

/// Reads KEY=VALUES: LO..HI, LO..HI:STEP, or what an axis of `weft sweep` takes
/// (runtime/analysis/axis_values.h). Throws InputError for bad syntax, an unknown key, a key that
/// is no number, an empty range, and more than kMostSweepPoints.
ValueSweepRequest parse_value_sweep(std::string_view text);

/// Calls `progress` with the finished share. A value that the machine cannot have, or with which it
/// cannot run the workload, gives a point that says why. Throws InputError if that holds for all
/// values, for a batch that the workload does not have, and for programs that are too long.
Sweep run_value_sweep(const SweptRuns& workload, const ValueSweepRequest& request,
                      const MachineConfig& config, const std::function<void(double)>& progress);

}  // namespace weft::runtime
