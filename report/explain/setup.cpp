#include "report/explain/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "compiler/emit/matmul.h"
#include "compiler/schedule/network_bound.h"
#include "report/report_text.h"
#include "report/text.h"
#include "runtime/job/analytic_run.h"
#include "runtime/workload/compiled_product.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

using compiler::SearchEffort;

SetupOutcome run_of(const MatmulSpec& spec, const MachineConfig& config, SearchEffort) {
  const TilingPlan plan = runtime::scheduled_plan(spec, config);
  const Result result = simulate(config, *matmul_stream(plan, config));
  return {result.total, result.ledger, result.critical_path, compiler::lower_bound(spec, config),
          plan_line(plan)};
}

SetupOutcome run_of(const runtime::ConvSpec& spec, const MachineConfig& config,
                    SearchEffort effort) {
  const runtime::AnalyticRun done = runtime::analytic_conv(spec, config, effort);
  return {done.run.total, done.run.ledger, done.run.path, done.run.bound, {}};
}

SetupOutcome run_of(const NetworkWorkload& network, const MachineConfig& config,
                    SearchEffort effort) {
  compiler::MappingOptions mapping;
  mapping.effort = effort;
  const runtime::AnalyticRun done =
      runtime::analytic_network(network.graph, network.request.model, config, mapping);
  return {done.run.total, done.run.ledger, done.run.path, done.run.bound, {}};
}

MatmulSpec without_options(MatmulSpec spec) {
  spec.bias = false;
  spec.activation = Activation::kNone;
  return spec;
}

runtime::ConvSpec without_options(runtime::ConvSpec spec) {
  spec.bias = false;
  spec.activation = Activation::kNone;
  spec.taps = runtime::TapPacking::kBest;
  return spec;
}

std::string text_of(const MatmulSpec& spec) {
  return fmt::format("product {} x {} x {}", grouped(spec.m), grouped(spec.k), grouped(spec.n));
}

std::string text_of(const runtime::ConvSpec& spec) {
  return runtime::to_text(without_options(spec));
}

std::string text_of(const NetworkWorkload& network) {
  std::string text = fmt::format("{}, batch {}", network.request.model, network.batch);
  if (network.request.sequence) text += fmt::format(", sequence {}", *network.request.sequence);
  return text;
}

bool same(const MatmulSpec& a, const MatmulSpec& b) {
  return without_options(a) == without_options(b);
}

bool same(const runtime::ConvSpec& a, const runtime::ConvSpec& b) {
  return without_options(a) == without_options(b);
}

bool same(const NetworkWorkload& a, const NetworkWorkload& b) {
  const auto same_input = [](const graph::Value& x, const graph::Value& y) {
    return x.name == y.name && x.type == y.type;
  };
  return a.request.model == b.request.model && a.batch == b.batch &&
         a.request.sequence == b.request.sequence &&
         std::ranges::equal(a.inputs, b.inputs, same_input);
}

const char* on_off(bool value) {
  return value ? "on" : "off";
}

/// Adds the bias, the activation and the packing of taps of a product or a convolution where they
/// differ.
template <class Spec>
void add_options(const Spec& a, const Spec& b, std::vector<Switch>& all) {
  if (a.bias != b.bias) {
    all.push_back({"bias", on_off(a.bias), on_off(b.bias),
                   [bias = b.bias](Setup& setup) { std::get<Spec>(setup.workload).bias = bias; }});
  }
  if (a.activation != b.activation) {
    all.push_back({"activation", std::string(to_string(a.activation)),
                   std::string(to_string(b.activation)), [activation = b.activation](Setup& setup) {
                     std::get<Spec>(setup.workload).activation = activation;
                   }});
  }
  if constexpr (requires { a.taps; }) {
    if (a.taps == b.taps) return;
    all.push_back({"taps", std::string(to_string(a.taps)), std::string(to_string(b.taps)),
                   [taps = b.taps](Setup& setup) { std::get<Spec>(setup.workload).taps = taps; }});
  }
}

void add_options(const NetworkWorkload&, const NetworkWorkload&, std::vector<Switch>&) {}

}  // namespace

SetupOutcome simulate_setup(const Setup& setup) {
  validate(setup.machine);
  return std::visit(
      [&](const auto& workload) { return run_of(workload, setup.machine, setup.effort); },
      setup.workload);
}

std::string workload_text(const Workload& workload) {
  return std::visit([](const auto& spec) { return text_of(spec); }, workload);
}

bool same_workload(const Workload& a, const Workload& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& spec) { return same(spec, std::get<std::decay_t<decltype(spec)>>(b)); }, a);
}

std::vector<Switch> switches(const Setup& a, const Setup& b) {
  std::vector<Switch> all;
  for (const ConfigKey& key : config_keys()) {
    std::string from = key.print(a.machine);
    std::string to = key.print(b.machine);
    if (key.name == "machine.name" || from == to) continue;
    const auto apply = [name = key.name, to](Setup& setup) { set_key(setup.machine, name, to); };
    all.push_back({key.name, std::move(from), std::move(to), apply});
  }
  std::visit(
      [&](const auto& spec) {
        add_options(spec, std::get<std::decay_t<decltype(spec)>>(b.workload), all);
      },
      a.workload);
  if (a.effort != b.effort) {
    all.push_back({"--optimize", std::to_string(static_cast<int>(a.effort)),
                   std::to_string(static_cast<int>(b.effort)),
                   [effort = b.effort](Setup& setup) { setup.effort = effort; }});
  }
  return all;
}

}  // namespace weft::report
