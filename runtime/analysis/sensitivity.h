// What a run would win if one of the machine's numbers were a tenth better: each key alone, and
// simulated, not estimated. A rate or a latency leaves the programs as they are. A size changes
// what the compiler makes, so the network is compiled again for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/schedule/compile_network.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::runtime {

/// One key with a better value.
struct BetterKey {
  std::string key;
  std::string from;
  std::string to;
  bool is_assumed = false;  // the preset gives no source for `from`
  bool recompiled = false;
  Cycle cycles = 0;
  double time_change = 0;  // as a share of the time before; negative if it is faster
};

struct Sensitivity {
  Cycle cycles = 0;             // of the machine as it is
  std::vector<BetterKey> keys;  // those that save most time first
  /// Keys without a better value: a latency at its least, a size at its most, or a value with which
  /// the machine or the program is impossible.
  std::vector<std::string> left_out;
  bool shares_memory = false;  // one channel for all transfers, whose order a better key can change
};

/// For every key that is a rate, a latency or a size, on engine `analytic`. `progress` is called
/// with the share done. Throws as schedule() and time_network() do for the machine as it is.
Sensitivity find_sensitivity(const graph::Graph& graph, const MachineConfig& machine,
                             const compiler::MappingOptions& mapping,
                             const std::function<void(double)>& progress);

}  // namespace weft::runtime
