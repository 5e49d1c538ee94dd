#include "compiler/passes/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/common_options.h"
#include "cli/network_agreement.h"
#include "cli/network_pipeline.h"
#include "cli/network_samples.h"
#include "cli/network_source.h"
#include "cli/output_stream.h"
#include "cli/report.h"
#include "compiler/onnx/export.h"
#include "models/networks/count.h"
#include "models/reference/cpu/run_graph.h"
#include "sim/config/error.h"
#include "sim/config/printable.h"

namespace weft::cli {
namespace {

using graph::Graph;

po::options_description options() {
  po::options_description own("Quantisation");
  auto add = own.add_options();
  add("calibrate", po::value<std::string>()->value_name("FILE|DIR"),
      "sample inputs: an .npy file or a folder of them (for several inputs: DIR/INPUT.npy or "
      "DIR/INPUT/*.npy); the first dimension may stack samples");
  add("output,o", po::value<std::string>()->value_name("FILE"), "the quantised network, .onnx");
  po::options_description all;
  all.add(own).add(network_flags());
  return all.add(general_flags({quiet_flag(), help_option()}));
}

void print_help(const Streams& streams) {
  streams.out
      << "Usage: weft quantize MODEL.onnx|NAME --calibrate FILE|DIR -o OUT.onnx [OPTIONS]\n\n"
      << "Quantises a float network to int8: scales from the ranges that its values have\n"
      << "over the samples, written as pairs of QuantizeLinear and DequantizeLinear.\n\n"
      << options();
}

std::string required(const Arguments& arguments, const std::string& name) {
  if (const auto text = arguments.text(name)) return *text;
  throw InputError(fmt::format("--{} is missing; give --calibrate FILE|DIR -o OUT.onnx", name));
}

void check_output(const std::string& output, const NetworkRequest& request,
                  const std::string& calibration) {
  if (output == "-") throw InputError("--output -: an .onnx file is not for stdout; name a file");
  for (const std::string& input : {request.model, calibration}) {
    if (!same_file(output, input)) continue;
    throw InputError(
        fmt::format("{}: --output would replace an input; choose another file", output));
  }
  check_writable(output);
}

Graph load_float_network(const NetworkRequest& request) {
  Graph graph = load_network(request);
  if (is_quantised(graph)) {
    throw InputError(request.model + ": is quantised already; give the float network");
  }
  return graph;
}

Agreement compare(const Graph& graph, const Graph& quantised,
                  const std::vector<NamedTensors>& samples) {
  reference::GraphRunner expected(graph, {.keep_constants = true});
  reference::GraphRunner actual(quantised, {.keep_constants = true});
  Agreement agreement;
  for (const NamedTensors& sample : samples)
    agreement.add(expected.run(sample), actual.run(sample));
  return agreement;
}

std::size_t count_nodes(const Graph& graph, graph::Op op, bool of_constants) {
  return static_cast<std::size_t>(std::ranges::count_if(graph.nodes, [&](const graph::Node& node) {
    return node.op == op && graph.is_constant(node.inputs.front()) == of_constants;
  }));
}

std::string agreement_line(const std::string& name, const OutputAgreement& output) {
  std::string line =
      fmt::format("{}: largest error {} of the largest value, mean {} of the mean", printable(name),
                  percent(output.max_relative_error()), percent(output.mean_relative_error()));
  if (output.rows > 0) {
    line += fmt::format("; {} of {} top answers the same", output.same_top, output.rows);
  }
  return line;
}

void print_summary(const NetworkRequest& request, const Graph& quantised, std::size_t samples,
                   const Agreement& agreement, const Streams& streams) {
  const auto line = [&](std::string_view label, const std::string& value) {
    streams.out << labelled_line(label, value, streams.style);
  };
  line("network", request.model);
  line("samples", grouped(samples));
  line("quantised", fmt::format("{} activations, {} weights and biases",
                                count_nodes(quantised, graph::Op::kQuantizeLinear, false),
                                count_nodes(quantised, graph::Op::kDequantizeLinear, true)));
  for (const auto& [name, output] : agreement.outputs()) {
    line("output", agreement_line(name, output));
  }
}

void write_network(const Graph& graph, const std::string& file) {
  OutputStream out(file);
  onnx_io::write_onnx(graph, out);
  out.commit();
}

}  // namespace

int run_quantize(const Words& words, const Streams& streams) {
  const Arguments arguments = parse_arguments(words, options());
  if (arguments.has("help")) return print_help(streams), 0;
  const NetworkRequest request = read_network_request(arguments);
  const std::string calibration = required(arguments, "calibrate");
  const std::string output = required(arguments, "output");
  check_output(output, request, calibration);
  const Graph graph = load_float_network(request);
  const std::vector<NamedTensors> samples = read_samples(calibration, graph);
  const Graph quantised = quantized_network(graph, samples);
  const Agreement agreement = compare(graph, quantised, samples);
  write_network(quantised, output);
  if (!arguments.has("quiet")) {
    print_summary(request, quantised, samples.size(), agreement, streams);
  }
  return 0;
}

}  // namespace weft::cli
