// A machine and what it runs, as two reports of runs have them, and everything in which two setups
// of one workload can differ: the machine's keys and the options of the workload.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/network_conv.h"
#include "cli/network_source.h"
#include "compiler/graph/graph.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::cli {

struct NetworkWorkload {
  NetworkRequest request;
  std::int64_t batch = 1;
  std::vector<graph::Value> inputs = {};  // names and types
  graph::Graph graph = {};
};

using Workload = std::variant<MatmulSpec, ConvSpec, NetworkWorkload>;

struct Setup {
  MachineConfig machine;
  Workload workload;
};

/// What a run of a setup takes, on the analytic engine.
struct Outcome {
  Cycle cycles = 0;
  CycleLedger ledger = {};
  std::string plan = {};  // of a product: tiles, folds, chunks, padding; else empty
};

/// Throws Error for a setup that cannot be: a machine out of range, a workload that does not fit.
Outcome simulate_setup(const Setup& setup);

/// "product 5 x 6 x 7", "64 filters of 3x3 over 1x64x56x56", "lenet5, batch 1": without options.
std::string workload_text(const Workload& workload);

/// True if the two differ in their options at most: bias and activation.
bool same_workload(const Workload& a, const Workload& b);

/// One assumption, with what it is in A and in B.
struct Switch {
  std::string name;  // array.rows, bias
  std::string from;
  std::string to;
  std::function<void(Setup&)> apply;  // makes it what it is in B
};

/// All in which `b` differs from `a`, the machine's keys in the order of config_keys(), then the
/// options. The name of a machine is none: it has no effect.
std::vector<Switch> switches(const Setup& a, const Setup& b);

}  // namespace weft::cli
