#include <fmt/format.h>

#include <array>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/network_job.h"
#include "cli/options/cost_options.h"
#include "cli/options/network_options.h"
#include "cli/options/search_options.h"
#include "cli/reference_job.h"
#include "compiler/graph/graph.h"
#include "runtime/workload/token_work.h"
#include "runtime/workload/values_memory.h"

namespace weft::cli {
namespace {

constexpr unsigned kDecimals = 9;
constexpr double kScale = 1e9;  // 10^kDecimals

// The longer units first, because all end in "s".
constexpr std::array<std::pair<std::string_view, double>, 3> kUnits = {
    {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}}};

std::optional<double> seconds_of(std::string_view text) {
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto value = parse_decimal(text.substr(0, text.size() - unit.size()), kDecimals);
    if (!value) return std::nullopt;
    return static_cast<double>(*value) / kScale * seconds;
  }
  return std::nullopt;
}

/// Reads "measured", or a time with its unit: "1.5ms". Units are s, ms, us. Throws InputError.
report::HostTime parse_host_time(std::string_view text) {
  if (text == "measured") return {};
  if (const auto seconds = seconds_of(text)) return {seconds};
  throw InputError(fmt::format(
      "--host-time {}: must be measured, or a time such as 1.5ms (s, ms or us)", printable(text)));
}

po::options_description run_options() {
  po::options_description own;
  auto add = own.add_options();
  add("output-dir", po::value<std::string>()->value_name("DIR"),
      "write each output as DIR/NAME.npy; the folder is created if missing");
  add("backend", po::value<std::string>()->value_name("NAME"),
      "machine (default); cpu: the reference alone, no machine");
  add("host-time", po::value<std::string>()->value_name("TIME"),
      "count the time of host layers: measured (on this computer), or a time such as 1.5ms");
  po::options_description network = network_flags();
  for (const auto& part : {input_flag(), own}) {
    for (const auto& option : part.options()) network.add(option);
  }
  po::options_description all;
  all.add(network).add(simulation_flags()).add(search_flags()).add(cost_flags());
  all.add(general_flags(
      {sensitivity_flag(), json_flag(), csv_flag(), html_flag(), quiet_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_run_help(const report::Streams& streams) {
  streams.out << "Usage: weft run MODEL.onnx|NAME [OPTIONS]\n\n"
              << "Runs a whole network, from an ONNX file or one that `weft networks` lists: the\n"
              << "cycles of each layer, and values, checked against the CPU reference. Inputs\n"
              << "that no file gives are random. An int8 array quantizes a float network first.\n\n"
              << help_text(run_options());
}

bool wants_reference_alone(const Arguments& arguments) {
  const std::string name = arguments.text("backend").value_or("machine");
  if (name == "cpu") return true;
  if (name == "machine") return false;
  throw InputError(fmt::format("--backend {}: unknown; must be machine or cpu", printable(name)));
}

/// Rejects options for cycles, engines and machines, which the reference does not have.
void check_reference_flags(const Arguments& arguments) {
  std::vector<std::string> foreign = {"engine", "threads", "check",     "lockstep",      "vcd",
                                      "trace",  "html",    "host-time", "sensitivity",   "optimize",
                                      "plan",   "csv",     "energy",    "price-per-hour"};
  const po::options_description machine = machine_flags();
  for (const auto& option : machine.options()) foreign.push_back(option->long_name());
  for (const std::string& name : foreign) {
    if (!arguments.has(name)) continue;
    throw InputError(fmt::format("--{}: has no effect with --backend cpu; drop one of them", name));
  }
}

std::optional<runtime::OutputFolder> output_folder(const Arguments& arguments,
                                                   const graph::Graph& graph,
                                                   const runtime::NetworkRequest& request,
                                                   const std::vector<runtime::InputFile>& files,
                                                   const OutputFiles& written) {
  const auto folder = arguments.text("output-dir");
  if (!folder) return std::nullopt;
  runtime::OutputFolder outputs(*folder, graph);
  if (request.is_file) outputs.check_not_written(request.model, "the network");
  for (const runtime::InputFile& given : files) outputs.check_not_written(given.file, "an input");
  if (written.json) outputs.check_not_written(*written.json, "the --json file");
  if (written.csv) outputs.check_not_written(*written.csv, "the --csv file");
  if (written.vcd) outputs.check_not_written(*written.vcd, "the --vcd file");
  if (written.html) outputs.check_not_written(*written.html, "the --html file");
  if (written.trace) outputs.check_not_written(*written.trace, "the --trace file");
  if (const auto machine = machine_file(arguments)) {
    outputs.check_not_written(*machine, "the machine");
  }
  return outputs;
}

RunFlags read_flags(const Arguments& arguments) {
  RunFlags flags = read_run_flags(arguments);
  if (arguments.has("output-dir") && !flags.first.with_values()) {
    throw InputError("--engine analytic computes no values for --output-dir; use --engine fast");
  }
  return flags;
}

int run_request(const Arguments& arguments, const runtime::NetworkRequest& request,
                const report::Streams& streams) {
  const bool reference_alone = wants_reference_alone(arguments);
  if (reference_alone) check_reference_flags(arguments);
  const std::vector<runtime::InputFile> files = read_input_files(arguments);
  NetworkCommand job;
  job.command = "run";
  job.command_line = command_line(job.command, arguments.words);
  job.network = request.model;
  std::tie(job.options, job.files) = read_flags(arguments);
  job.sensitivity = arguments.has("sensitivity");
  if (const auto time = arguments.text("host-time")) job.host_time = parse_host_time(*time);
  if (job.host_time && !job.host_time->seconds && !job.options.with_values()) {
    throw InputError(
        "--host-time measured: --engine analytic computes no host layer; give a time, or use fast");
  }
  job.search = read_search(arguments);
  job.machine = read_machine(arguments);
  job.machine_file = read_machine_file(arguments);
  job.cost = read_cost(arguments, job.machine);
  check_before_network(job);
  job.graph = runtime::load_network(request, runtime::tensors_of(files));
  if (!reference_alone) runtime::require_computation(request, job.graph);
  job.batch = runtime::batch_of(request, job.graph);
  job.sequence = request.sequence;
  job.kv_cache = request.kv_cache;
  job.tokens = runtime::token_work(request, job.graph);
  job.outputs = output_folder(arguments, job.graph, request, files, job.files);
  if (job.options.with_values()) {
    runtime::check_inputs_fit(job.network, job.graph);
    runtime::check_weights_fit(job.network, job.graph);
    job.inputs = runtime::network_inputs(job.graph, files, job.options.seed, request.is_file);
  } else {
    runtime::check_input_files(job.graph, files, request.is_file);
  }
  return reference_alone ? run_reference_job(job, streams)
                         : run_network_job(std::move(job), streams);
}

}  // namespace

int run_run(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, run_options());
  if (arguments.has("help")) return print_run_help(streams), 0;
  const runtime::NetworkRequest request = read_network_request(arguments);
  try {
    return run_request(arguments, request, streams);
  } catch (const std::bad_alloc&) {
    throw InputError(request.model + ": not enough memory for its values; choose smaller shapes");
  }
}

}  // namespace weft::cli
