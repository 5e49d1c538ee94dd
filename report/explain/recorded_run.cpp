#include "report/explain/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/onnx/located.h"
#include "report/explain/json_fields.h"
#include "report/explain/report_file.h"
#include "report/json.h"
#include "report/machine_json.h"

namespace weft::report {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40U;

std::uint64_t size_of(const JsonFields& workload, const char* name) {
  return static_cast<std::uint64_t>(workload.number(name, 1, kLargestSize));
}

MatmulSpec read_product(const JsonFields& workload) {
  MatmulSpec spec;
  spec.m = size_of(workload, "m");
  spec.k = size_of(workload, "k");
  spec.n = size_of(workload, "n");
  spec.bias = workload.boolean("bias");
  spec.activation = parse_activation(workload.text("activation"));
  return spec;
}

template <std::size_t kSize>
std::array<std::int64_t, kSize> array_at(const JsonFields& conv, const char* name,
                                         std::int64_t low) {
  const std::vector<std::int64_t> values = conv.numbers(name, low, runtime::kLargestConvExtent);
  if (values.size() != kSize) conv.fail(name, fmt::format("must be {} numbers", kSize));
  std::array<std::int64_t, kSize> array = {};
  std::ranges::copy(values, array.begin());
  return array;
}

runtime::ConvSpec read_conv_spec(const JsonFields& conv) {
  runtime::ConvSpec spec;
  const auto input = array_at<4>(conv, "input", 1);
  spec.input.assign(input.begin(), input.end());
  spec.filters = conv.number("filters", 1, runtime::kLargestConvExtent);
  spec.kernel = array_at<2>(conv, "kernel", 1);
  spec.strides = array_at<2>(conv, "strides", 1);
  spec.dilations = array_at<2>(conv, "dilations", 1);
  if (conv.at("pads") != "same") spec.pads = array_at<4>(conv, "pads", 0);
  spec.groups = conv.number("groups", 1, runtime::kLargestConvExtent);
  spec.bias = conv.boolean("bias");
  spec.activation = parse_activation(conv.text("activation"));
  // Reports from before loads could cut patches took one tap a fold.
  spec.taps = conv.has("taps") ? runtime::parse_tap_packing(conv.text("taps"))
                               : runtime::TapPacking::kApart;
  return spec;
}

graph::Value read_input(const JsonFields& input) {
  graph::Value value;
  value.name = input.text("name");
  value.type.shape = input.numbers("shape", 0, kLargestSize);
  const std::string type = input.text("type");
  if (const auto known = graph::data_type_from_string(type)) {
    value.type.type = *known;
    return value;
  }
  input.fail("type", "is not a tensor type");
}

/// Throws InputError unless the network has the report's inputs in the same order.
void check_inputs(const NetworkWorkload& network) {
  const auto same = [&](graph::ValueId id, const graph::Value& input) {
    return network.graph.values[id].name == input.name && network.graph.type(id) == input.type;
  };
  if (std::ranges::equal(network.graph.inputs, network.inputs, same)) return;
  throw InputError(fmt::format(
      "{} and the report differ in their inputs; the file has changed, or the run had --input "
      "values that decide shapes",
      printable(network.request.model)));
}

NetworkWorkload read_network(const JsonFields& workload) {
  NetworkWorkload network;
  network.request.model = workload.text("network");
  network.request.is_file = runtime::names_file(network.request.model);
  network.batch = workload.number("batch", 1, kLargestSize);
  for (const Json& input : workload.at("inputs")) {
    network.inputs.push_back(read_input(JsonFields(input, "workload.inputs[]")));
  }
  if (network.request.is_file) {
    for (const graph::Value& input : network.inputs) {
      network.request.shapes.emplace(input.name, input.type.shape);
    }
  } else {
    network.request.batch = network.batch;
    if (workload.has("sequence")) network.request.sequence = workload.number("sequence", 1, kAny);
    if (workload.has("kv_cache")) network.request.kv_cache = workload.number("kv_cache", 1, kAny);
  }
  network.graph = runtime::load_network(network.request);
  runtime::require_computation(network.request, network.graph);
  check_inputs(network);
  return network;
}

Workload read_workload(const JsonFields& report) {
  const JsonFields workload = report.object("workload");
  if (workload.has("conv")) return read_conv_spec(workload.object("conv"));
  if (workload.has("network")) return read_network(workload);
  if (report.is_null("plan")) {
    throw InputError(
        "is of a program that the compiler did not make; only the compiler's plans can be "
        "repeated");
  }
  return read_product(workload);
}

/// Products have no search, and reports of older versions do not name it.
void read_search(const JsonFields& plan, RecordedRun& run) {
  if (!plan.has("optimize")) return;
  run.followed_plan = plan.is_null("optimize");
  if (run.followed_plan) return;
  run.setup.effort = static_cast<compiler::SearchEffort>(plan.number("optimize", 0, 2));
}

RecordedRun read_report(const Json& json) {
  const JsonFields report(json, "");
  check_is_run(json);
  if (report.is_null("workload")) throw InputError("does not say what was computed");
  RecordedRun run;
  run.setup.machine = machine_of(report.at("machine"));
  run.setup.workload = read_workload(report);
  if (!report.is_null("plan")) read_search(report.object("plan"), run);
  run.cycles = report.object("cycles").number("total", 0, kAny);
  return run;
}

}  // namespace

RecordedRun read_recorded_run(const std::string& file) {
  return onnx_io::located_in_file(file, [&] {
    try {
      RecordedRun run = read_report(read_report_file(file));
      run.file = file;
      return run;
    } catch (const ConfigError& error) {
      throw InputError(error.what());
    }
  });
}

}  // namespace weft::report
