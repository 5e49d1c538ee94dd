#include "report/quantize/quantize_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "report/machine_text.h"
#include "report/report_json.h"

namespace weft::report {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::ValueId;

bool is_of_a_pair(const Node& node) {
  return node.op == Op::kQuantizeLinear || node.op == Op::kDequantizeLinear;
}

/// True for the half of a pair that has its own parameters: the QuantizeLinear of an activation,
/// the DequantizeLinear of a constant.
bool has_parameters(const Graph& graph, const Node& node) {
  return is_of_a_pair(node) &&
         graph.is_constant(node.inputs[0]) == (node.op == Op::kDequantizeLinear);
}

std::uint64_t count_parameters_of(const Graph& graph, Op op) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      graph.nodes, [&](const Node& node) { return node.op == op && has_parameters(graph, node); }));
}

/// Returns the name before quantizing: removes the suffixes that the pass added.
std::string original_name(std::string_view name) {
  for (const std::string_view suffix : {"/unrounded", "/integers"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return std::string(name);
}

Json zero_points(const graph::Tensor& tensor) {
  Json list = Json::array();
  graph::with_type(tensor.type(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      for (const T value : tensor.data<T>()) list.push_back(static_cast<std::int64_t>(value));
    }
  });
  return list;
}

Json value_json(const Graph& graph, const Node& node) {
  const auto constant = [&](std::size_t i) {
    return graph.values[node.inputs[i]].constant->tensor();
  };
  const bool is_constant = graph.is_constant(node.inputs[0]);
  const graph::ValueType& integers = graph.type(is_constant ? node.inputs[0] : node.outputs[0]);
  const graph::Tensor scale = constant(1);
  const auto scales = scale.data<float>();
  const bool has_zero_point = node.input(2) != kNoValue;
  return {{"name", original_name(graph.values[node.inputs[0]].name)},
          {"constant", is_constant},
          {"type", to_string(integers.type)},
          {"shape", integers.shape},
          {"axis", scale.size() > 1 ? Json(node.attributes.integer("axis", 1)) : Json(nullptr)},
          {"scale", std::vector<float>(scales.begin(), scales.end())},
          {"zero_point", has_zero_point ? zero_points(constant(2))
                                        : Json(std::vector<std::int64_t>(scales.size(), 0))}};
}

/// True if every input of the node, except constants, comes from a DequantizeLinear.
bool reads_quantized(const Graph& graph, const std::vector<std::size_t>& producers,
                     const Node& node) {
  bool reads = false;
  for (const ValueId input : node.inputs) {
    if (input == kNoValue || graph.is_constant(input)) continue;
    const std::size_t producer = producers[input];
    if (producer == graph::kNoProducer) return false;
    if (graph.nodes[producer].op != Op::kDequantizeLinear) return false;
    reads = true;
  }
  return reads;
}

Json quantized_layers_json(const Graph& graph) {
  const std::vector<std::size_t> producers = graph::producers(graph);
  Json layers = Json::array();
  for (const Node& node : graph.nodes) {
    if (is_of_a_pair(node)) continue;
    layers.push_back({{"name", node.name},
                      {"op", to_string(node.op)},
                      {"quantized", reads_quantized(graph, producers, node)}});
  }
  return layers;
}

Json values_json(const Graph& graph) {
  Json values = Json::array();
  for (const Node& node : graph.nodes) {
    if (has_parameters(graph, node)) values.push_back(value_json(graph, node));
  }
  return values;
}

Json agreement_json(const runtime::Agreement& agreement) {
  Json outputs = Json::array();
  for (const auto& [name, output] : agreement.outputs()) {
    outputs.push_back({{"name", name},
                       {"max_relative_error", output.max_relative_error()},
                       {"mean_relative_error", output.mean_relative_error()},
                       {"rows", output.rows},
                       {"same_top", output.same_top}});
  }
  return outputs;
}

std::string agreement_line(const std::string& name, const runtime::OutputAgreement& output) {
  std::string line =
      fmt::format("{}: largest error {} of the largest value, mean {} of the mean", printable(name),
                  percent(output.max_relative_error()), percent(output.mean_relative_error()));
  if (output.rows > 0) {
    line += fmt::format("; {} of {} the same", grouped(output.same_top),
                        counted(output.rows, "top answer"));
  }
  return line;
}

}  // namespace

Json quantize_report_json(const QuantizeReport& report) {
  return {{"schema", 1},
          {"command", report.network.command},
          {"workload", workload_json(report.network)},
          {"output", report.output},
          {"samples", report.samples},
          {"layers", quantized_layers_json(report.quantized)},
          {"values", values_json(report.quantized)},
          {"outputs", agreement_json(report.agreement)}};
}

std::string quantize_report_text(const QuantizeReport& report, const Style& style) {
  std::string text;
  const auto add = [&](std::string_view label, const std::string& value) {
    text += labeled_line(label, value, style);
  };
  add("network", report.network.network().name);
  add("samples", grouped(report.samples));
  add("quantized",
      fmt::format(
          "{}, {}",
          counted(count_parameters_of(report.quantized, Op::kQuantizeLinear), "activation"),
          counted(count_parameters_of(report.quantized, Op::kDequantizeLinear), "constant")));
  for (const auto& [name, output] : report.agreement.outputs()) {
    add("output", agreement_line(name, output));
  }
  return text;
}

}  // namespace weft::report
