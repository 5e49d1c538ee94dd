#include "runtime/sim_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/autodiff/training_graph.h"
#include "compiler/schedule/compile_update.h"
#include "compiler/schedule/network_bound.h"

namespace weft::runtime {
namespace {

using training::PassGraph;
using training::PassKind;

/// The weights of the current run. The compiled graph's constants read them.
using SharedWeights = std::shared_ptr<NamedTensors>;

graph::Graph with_weights(PassGraph pass, const SharedWeights& weights) {
  std::map<std::string, graph::Constant> constants;
  for (const graph::ValueId input : pass.graph.inputs) {
    const graph::Value& value = pass.graph.values[input];
    if (std::ranges::find(pass.weights, value.name) == pass.weights.end()) continue;
    const auto make = [weights, name = value.name] { return weights->at(name); };
    constants.emplace(value.name, graph::Constant(value.type, make));
  }
  return autodiff::bind_inputs(std::move(pass.graph), constants);
}

/// A compiled graph that runs repeatedly.
class PreparedPass {
 public:
  /// The program's constants of these names read `weights`.
  PreparedPass(compiler::NetworkProgram program, std::vector<std::string> names,
               SharedWeights weights, const MachineConfig& machine, const SimulateOptions& options)
      : names_(std::move(names)),
        weights_(std::move(weights)),
        program_(std::move(program)),
        session_(program_, machine, {.simulate = options}) {}

  compiler::Bound bound(const MachineConfig& machine) const {
    return compiler::lower_bound(program_, machine);
  }

  NetworkRun run(NamedTensors inputs) {
    for (const std::string& name : names_) {
      weights_->insert_or_assign(name, std::move(inputs.extract(name).mapped()));
    }
    return session_.run(inputs);
  }

 private:
  std::vector<std::string> names_;
  SharedWeights weights_;
  compiler::NetworkProgram program_;
  NetworkSession session_;
};

PassCost cost_of(const NetworkRun& run, const compiler::Bound& bound) {
  PassCost cost{run.total, run.ledger, run.path, bound, {}};
  for (const LayerRun& layer : run.layers) {
    if (!layer.on_host) continue;
    cost.host_layers.push_back(
        fmt::format("{} ({}): {}", printable(layer.info.name), layer.info.op, layer.info.note));
  }
  return cost;
}

/// Adds the bound of a graph that runs after the others.
void add(const compiler::Bound& more, compiler::Bound& sum) {
  if (more.cycles > sum.cycles) sum.by = more.by;
  sum.cycles += more.cycles;
  sum.array += more.array;
  sum.vector += more.vector;
  sum.memory += more.memory;
  sum.host += more.host;
}

}  // namespace

NetworkSchedule SimBackend::schedule_pass(graph::Graph graph, PassKind kind) const {
  if (const auto known = plans_.find(kind); known != plans_.end()) {
    try {
      return schedule_as_planned(graph, machine_, nullptr, known->second);
    } catch (const InputError&) {
      // The graph of another network, which has other layers.
    }
  }
  return schedule(std::move(graph), machine_, nullptr, mapping_);
}

/// The optimizer computes in float32 on the vector unit; the other graphs compute as networks do.
compiler::NetworkProgram SimBackend::compile_pass(graph::Graph graph, PassKind kind) {
  if (kind == PassKind::kUpdate) return compiler::compile_update(std::move(graph), machine_);
  NetworkSchedule scheduled = schedule_pass(std::move(graph), kind);
  plans_.insert_or_assign(kind, compiler::network_plan(scheduled.network));
  return compile(std::move(scheduled), machine_).program;
}

training::Executor SimBackend::prepare(PassGraph pass) {
  const PassKind kind = pass.pass;
  std::vector<std::string> names = pass.weights;
  const auto weights = std::make_shared<NamedTensors>();
  compiler::NetworkProgram program = compile_pass(with_weights(std::move(pass), weights), kind);
  const auto prepared = std::make_shared<PreparedPass>(std::move(program), std::move(names),
                                                       weights, machine_, options_);
  costs_.erase(kind);
  return [this, kind, prepared](const NamedTensors& inputs) {
    NetworkRun run = prepared->run(inputs);
    if (!costs_.contains(kind)) {
      costs_.emplace(kind, cost_of(run, prepared->bound(machine_)));
    }
    return std::move(run.outputs);
  };
}

PassCost SimBackend::step_cost() const {
  PassCost sum;
  for (const PassKind pass : {PassKind::kGradients, PassKind::kUpdate}) {
    const auto found = costs_.find(pass);
    if (found == costs_.end()) continue;
    const PassCost& cost = found->second;
    sum.total += cost.total;
    sum.path += cost.path;
    add(cost.bound, sum.bound);
    for (const LedgerClass& entry : kLedgerClasses) {
      sum.ledger.*entry.cycles += cost.ledger.*entry.cycles;
    }
    sum.host_layers.insert(sum.host_layers.end(), cost.host_layers.begin(), cost.host_layers.end());
  }
  return sum;
}

}  // namespace weft::runtime
