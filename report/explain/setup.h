// A machine with its workload, as a report of a run describes them. Two setups can differ in the
// machine's keys, in the workload's options and sizes, and in the workload itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/bound/bound.h"
#include "compiler/schedule/compile_network.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_source.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::report {

struct NetworkWorkload {
  runtime::NetworkRequest request;
  std::int64_t batch = 1;
  std::vector<graph::Value> inputs = {};  // names and types
  graph::Graph graph = {};
};

using Workload = std::variant<MatmulSpec, runtime::ConvSpec, NetworkWorkload>;

struct Setup {
  MachineConfig machine;
  Workload workload;
  /// How long a network or a convolution is searched; a product is not.
  compiler::SearchEffort effort = compiler::SearchEffort::kNormal;
};

/// The result of a setup's run on the analytic engine.
struct SetupOutcome {
  Cycle cycles = 0;
  CycleLedger ledger = {};
  CriticalPath path = {};
  std::optional<compiler::Bound> bound = {};
  std::string plan = {};  // of a product: tiles, folds, chunks, padding; otherwise empty
};

/// Throws Error for an impossible setup: a machine out of range, a workload that does not fit.
SetupOutcome simulate_setup(const Setup& setup);

/// "product 5 x 6 x 7", "64 filters of 3x3 over 1x64x56x56", "lenet5, batch 1"; leaves out options.
std::string workload_text(const Workload& workload);

/// Images of a convolution or a network; nullopt for a product.
std::optional<std::int64_t> images_of(const Workload& workload);

/// One setting that differs, with its values in A and in B.
struct Switch {
  std::string name;  // e.g. array.rows, bias
  std::string from;
  std::string to;
  std::function<void(Setup&)> apply;  // sets B's value
};

/// Every setting in which `b` differs from `a`: the machine's keys in the order of config_keys(),
/// then the options, the search and the sizes. Workloads of different kinds, and different
/// networks, are one setting; a product's has the search of the other in it. Skips keys on which no
/// cycle depends: the machine's name, and what only the figures of energy depend on.
std::vector<Switch> switches(const Setup& a, const Setup& b);

}  // namespace weft::report
