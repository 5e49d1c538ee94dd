#include "report/explain/setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
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
  if (network.request.kv_cache) text += fmt::format(", cache {}", *network.request.kv_cache);
  return text;
}

/// True for workloads of one kind whose sizes can be switched one at a time.
bool switchable(const Workload& a, const Workload& b) {
  if (a.index() != b.index()) return false;
  const auto* network = std::get_if<NetworkWorkload>(&a);
  return network == nullptr || network->request.model == std::get<NetworkWorkload>(b).request.model;
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

// --- Sizes ---

/// Adds the member if it differs. `text` shows its value.
template <class Spec, class Member, class Text>
void add_size(const char* name, const Spec& a, const Spec& b, Member Spec::*member, Text text,
              std::vector<Switch>& all) {
  if (a.*member == b.*member) return;
  all.push_back({name, text(a.*member), text(b.*member), [member, value = b.*member](Setup& setup) {
                   std::get<Spec>(setup.workload).*member = value;
                 }});
}

std::string list_text(std::span<const std::int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

void add_sizes(const MatmulSpec& a, const MatmulSpec& b, std::vector<Switch>& all) {
  const auto text = [](std::uint64_t size) { return grouped(size); };
  add_size("m", a, b, &MatmulSpec::m, text, all);
  add_size("k", a, b, &MatmulSpec::k, text, all);
  add_size("n", a, b, &MatmulSpec::n, text, all);
}

void add_sizes(const runtime::ConvSpec& a, const runtime::ConvSpec& b, std::vector<Switch>& all) {
  using runtime::ConvSpec;
  const auto list = [](const auto& numbers) { return list_text(numbers); };
  const auto number = [](std::int64_t value) { return fmt::to_string(value); };
  constexpr const char* kInput[] = {"batch", "channels", "height", "width"};
  for (std::size_t i = 0; i < std::size(kInput); ++i) {
    if (a.input[i] == b.input[i]) continue;
    all.push_back(
        {kInput[i], number(a.input[i]), number(b.input[i]), [i, extent = b.input[i]](Setup& setup) {
           std::get<ConvSpec>(setup.workload).input[i] = extent;
         }});
  }
  add_size("filters", a, b, &ConvSpec::filters, number, all);
  add_size("kernel", a, b, &ConvSpec::kernel, list, all);
  add_size("stride", a, b, &ConvSpec::strides, list, all);
  add_size(
      "pad", a, b, &ConvSpec::pads,
      [](const auto& pads) { return pads ? list_text(*pads) : std::string("same"); }, all);
  add_size("dilation", a, b, &ConvSpec::dilations, list, all);
  add_size("groups", a, b, &ConvSpec::groups, number, all);
}

std::string tokens_text(const runtime::NetworkRequest& request) {
  if (request.kv_cache) return fmt::format("1 after {}", *request.kv_cache);
  return request.sequence ? fmt::to_string(*request.sequence) : "as built";
}

std::string shapes_text(const NetworkWorkload& network) {
  std::vector<std::string> shapes;
  for (const graph::Value& input : network.inputs) {
    shapes.push_back(graph::to_string(input.type.shape));
  }
  return fmt::format("{}", fmt::join(shapes, " "));
}

bool same_inputs(const NetworkWorkload& a, const NetworkWorkload& b) {
  return std::ranges::equal(a.inputs, b.inputs, [](const graph::Value& x, const graph::Value& y) {
    return x.name == y.name && x.type == y.type;
  });
}

/// Builds the network of the setup again, after `change` to its request.
template <class Change>
auto rebuilt(Change change) {
  return [change](Setup& setup) {
    auto& network = std::get<NetworkWorkload>(setup.workload);
    change(network.request);
    network.graph = runtime::load_network(network.request);
    network.batch = runtime::batch_of(network.request, network.graph);
  };
}

/// A network that comes with Weft has a batch and a sequence; a file has the shapes of its inputs.
void add_sizes(const NetworkWorkload& a, const NetworkWorkload& b, std::vector<Switch>& all) {
  if (!a.request.is_file) {
    if (a.batch != b.batch) {
      all.push_back({"batch", fmt::to_string(a.batch), fmt::to_string(b.batch),
                     rebuilt([batch = b.batch](runtime::NetworkRequest& request) {
                       request.batch = batch;
                     })});
    }
    // A network has a sequence or a cache, so both change together.
    const bool cached = a.request.kv_cache != b.request.kv_cache;
    if (cached || a.request.sequence != b.request.sequence) {
      all.push_back({cached ? "cache" : "sequence", tokens_text(a.request), tokens_text(b.request),
                     rebuilt([wanted = b.request](runtime::NetworkRequest& request) {
                       request.sequence = wanted.sequence;
                       request.kv_cache = wanted.kv_cache;
                     })});
    }
    return;
  }
  if (same_inputs(a, b)) return;
  const auto apply = [workload = b](Setup& setup) { setup.workload = workload; };
  if (a.batch != b.batch) {
    all.push_back({"batch", fmt::to_string(a.batch), fmt::to_string(b.batch), apply});
  } else {
    all.push_back({"shapes", shapes_text(a), shapes_text(b), apply});
  }
}

// --- What differs ---

/// False for the machine's name, and for keys that only the figures of energy depend on.
bool affects_cycles(const ConfigKey& key) {
  return key.name != "machine.name" && !key.name.starts_with("power.");
}

/// The mapper of products has no levels.
bool has_effort(const Setup& setup) {
  return !std::holds_alternative<MatmulSpec>(setup.workload);
}

std::string effort_text(SearchEffort effort) {
  return std::to_string(static_cast<int>(effort));
}

/// The workload with what belongs to it alone: a level of the search that is not the usual one.
std::string whole_text(const Setup& setup) {
  std::string text = workload_text(setup.workload);
  if (!has_effort(setup) || setup.effort == SearchEffort::kNormal) return text;
  return fmt::format("{}, --optimize {}", text, effort_text(setup.effort));
}

/// Switches a product and a network, or two networks, as a whole.
Switch whole_switch(const Setup& a, const Setup& b) {
  const bool with_effort = has_effort(a) != has_effort(b);
  return {"workload", with_effort ? whole_text(a) : workload_text(a.workload),
          with_effort ? whole_text(b) : workload_text(b.workload),
          [workload = b.workload, effort = b.effort](Setup& setup) {
            setup.workload = workload;
            setup.effort = effort;
          }};
}

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

std::optional<std::int64_t> images_of(const Workload& workload) {
  if (const auto* conv = std::get_if<runtime::ConvSpec>(&workload)) return conv->input.front();
  if (const auto* network = std::get_if<NetworkWorkload>(&workload)) return network->batch;
  return std::nullopt;
}

std::vector<Switch> switches(const Setup& a, const Setup& b) {
  std::vector<Switch> all;
  for (const ConfigKey& key : config_keys()) {
    std::string from = key.print(a.machine);
    std::string to = key.print(b.machine);
    if (!affects_cycles(key) || from == to) continue;
    const auto apply = [name = key.name, to](Setup& setup) { set_key(setup.machine, name, to); };
    all.push_back({key.name, std::move(from), std::move(to), apply});
  }
  const bool one_by_one = switchable(a.workload, b.workload);
  const auto add = [&](auto add_some) {
    std::visit(
        [&](const auto& spec) {
          add_some(spec, std::get<std::decay_t<decltype(spec)>>(b.workload));
        },
        a.workload);
  };
  if (one_by_one) add([&](const auto& x, const auto& y) { add_options(x, y, all); });
  if (a.effort != b.effort && has_effort(a) && has_effort(b)) {
    all.push_back({"--optimize", effort_text(a.effort), effort_text(b.effort),
                   [effort = b.effort](Setup& setup) { setup.effort = effort; }});
  }
  if (one_by_one) {
    add([&](const auto& x, const auto& y) { add_sizes(x, y, all); });
  } else {
    all.push_back(whole_switch(a, b));
  }
  return all;
}

}  // namespace weft::report
