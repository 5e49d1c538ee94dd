#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "cli/commands/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/network_options.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/located.h"
#include "models/reference/cpu/run_graph.h"
#include "report/json.h"
#include "report/quantize/quantize_report.h"
#include "runtime/compile.h"
#include "runtime/network_agreement.h"
#include "runtime/workload/network_samples.h"
#include "runtime/workload/values_memory.h"

namespace weft::cli {
namespace {

using graph::Graph;

po::options_description quantize_options() {
  po::options_description own("Quantization");
  auto add = own.add_options();
  add("calibrate", po::value<std::string>()->value_name("FILE|DIR|digits"),
      "sample inputs: an .npy file or a folder of them (for several inputs: DIR/INPUT.npy or "
      "DIR/INPUT/*.npy); the first dimension may stack samples; digits: 64 images "
      "of digits, of 8x8 as `weft train` learns from or drawn ones of 28x28");
  add("output,o", po::value<std::string>()->value_name("FILE"), "the quantized network, .onnx");
  po::options_description all;
  all.add(own).add(network_flags());
  return all.add(general_flags({json_flag(), quiet_flag(), help_option()}));
}

void print_quantize_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft quantize MODEL.onnx|NAME --calibrate FILE|DIR|digits -o OUT.onnx "
         "[OPTIONS]\n\n"
      << "Quantizes a float network to int8. The scales come from the ranges of its values\n"
      << "over the samples; the file has pairs of QuantizeLinear and DequantizeLinear.\n\n"
      << help_text(quantize_options());
}

std::string required_text(const Arguments& arguments, const std::string& name) {
  if (const auto text = arguments.text(name)) return *text;
  throw InputError(
      fmt::format("--{} is missing; give --calibrate FILE|DIR|digits -o OUT.onnx", name));
}

void check_outputs(const std::string& output, const std::optional<std::string>& json) {
  if (output == "-") throw InputError("--output -: an .onnx file cannot go to stdout; name a file");
  check_writable(output);
  if (json && *json != "-") check_writable(*json);
}

Graph load_float_network(const runtime::NetworkRequest& request) {
  Graph graph = runtime::load_network(request);
  runtime::require_computation(request, graph);
  runtime::check_weights_fit(request.model, graph);
  if (runtime::is_quantized(graph)) {
    throw InputError(request.model + ": is quantized already; give the float network");
  }
  return graph;
}

std::string json_text(const report::QuantizeReport& report) {
  return report::json_file_text(report::quantize_report_json(report));
}

/// "digits" means the embedded digits, unless a file has this name.
std::vector<runtime::NamedTensors> samples_for(const std::string& calibration,
                                               const std::string& model, const Graph& graph) {
  if (calibration != "digits" || std::filesystem::exists(calibration)) {
    return runtime::read_samples(calibration, graph);
  }
  return onnx_io::located(model, [&] { return runtime::digit_samples(graph); });
}

runtime::Agreement compare(const Graph& graph, const Graph& quantized,
                           const std::vector<runtime::NamedTensors>& samples) {
  reference::GraphRunner expected(graph, {.keep_constants = true});
  reference::GraphRunner actual(quantized, {.keep_constants = true});
  runtime::Agreement agreement;
  for (const runtime::NamedTensors& sample : samples)
    agreement.add(expected.run(sample), actual.run(sample));
  return agreement;
}

/// Writes both files before it names either of them.
void write_files(const report::QuantizeReport& report, const std::optional<std::string>& json) {
  OutputStream network(report.output);
  onnx_io::write_onnx(report.quantized, network);
  std::optional<OutputFile> figures;
  if (json && *json != "-") {
    figures.emplace(*json);
    figures->write(json_text(report));
  }
  network.commit();
  if (figures) figures->commit();
}

void print(const report::QuantizeReport& report, const Arguments& arguments,
           const report::Streams& streams) {
  if (arguments.text("json") == "-") {
    streams.out << json_text(report);
  } else if (!arguments.has("quiet")) {
    streams.out << report::quantize_report_text(report, streams.style);
  }
}

}  // namespace

int run_quantize(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, quantize_options());
  if (arguments.has("help")) return print_quantize_help(streams), 0;
  const runtime::NetworkRequest request = read_network_request(arguments);
  const std::string calibration = required_text(arguments, "calibrate");
  const std::string output = required_text(arguments, "output");
  check_outputs(output, arguments.text("json"));
  const Graph graph = load_float_network(request);
  const std::vector<runtime::NamedTensors> samples = samples_for(calibration, request.model, graph);
  report::QuantizeReport report;
  report.network =
      report::describe_network("quantize", request.model, runtime::batch_of(request, graph), graph);
  report.output = output;
  report.samples = samples.size();
  onnx_io::located(request.model, [&] {
    report.quantized = runtime::quantized_network(graph, samples);
    report.agreement = compare(graph, report.quantized, samples);
  });
  write_files(report, arguments.text("json"));
  print(report, arguments, streams);
  return 0;
}

}  // namespace weft::cli
