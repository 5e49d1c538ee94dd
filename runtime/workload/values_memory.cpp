#include "runtime/workload/values_memory.h"

#include <algorithm>
#include <set>
#include <variant>

#include "compiler/layers/line_bands.h"
#include "compiler/layers/used_sheets.h"
#include "runtime/workload/memory_check.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {
namespace {

// Copies of the largest value that exist at one time, as measured with convolutions of 1 x 1: its
// check holds the expected result, the bound and two operands in binary64, and reads the machine's
// result; without a check, the result is read from its matrix.
constexpr double kCopiesChecked = 10;
constexpr double kCopiesUnchecked = 1;

constexpr const char* kAdvice =
    "choose a smaller shape or batch, or --engine analytic, which needs no memory for values";
constexpr const char* kCheckedAdvice =
    "choose a smaller shape or batch, --check none, or --engine analytic, which needs no memory "
    "for "
    "values";

double bytes_of(const graph::ValueType& type) {
  double bytes = static_cast<double>(graph::size_bytes(type.type));
  for (const std::int64_t extent : type.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

/// The matrix of a sheet that does not stay in the unified buffer, or the image of its patches.
double bytes_of(const compiler::Sheet& sheet, const MachineConfig& config) {
  const double element = sheet.wide ? 4 : element_bytes(config.dtype);
  if (const auto& patches = sheet.patches) {
    return static_cast<double>(patches->images * patches->channels) *
           static_cast<double>(patches->y.input * patches->x.input) * element;
  }
  return static_cast<double>(sheet.size.rows) * static_cast<double>(sheet.size.channels) * element;
}

/// False for an input that no layer reads as rows: if all read patches, it has no matrix.
bool is_read(const compiler::Segment& segment, std::size_t sheet) {
  if (!segment.sheets[sheet].from_host) return true;
  bool read = false;
  for (const compiler::Layer& layer : segment.layers) {
    compiler::for_each_body(layer, [&](const compiler::LayerBody& body) {
      compiler::for_each_input_sheet(body, [&](std::size_t id) { read = read || id == sheet; });
    });
  }
  return read;
}

double matrix_bytes(const compiler::ScheduledSegment& scheduled, const MachineConfig& config) {
  const compiler::Schedule& schedule = scheduled.schedule;
  const compiler::PartedSegment parts = compiler::in_parts(scheduled.segment, schedule);
  const std::vector<compiler::Sheet>& sheets = parts.segment.sheets;
  double bytes = 0;
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    const bool stays = i < schedule.sheets.size() && schedule.sheets[i].has_value();
    if (!stays && is_read(parts.segment, i)) bytes += bytes_of(sheets[i], config);
  }
  return bytes;
}

double constant_bytes(const graph::Graph& graph) {
  double bytes = 0;
  for (const graph::Value& value : graph.values) {
    if (value.constant) bytes += bytes_of(value.type);
  }
  return bytes;
}

}  // namespace

double value_bytes(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                   bool checked) {
  const graph::Graph& graph = network.graph;
  std::set<graph::ValueId> kept(graph.inputs.begin(), graph.inputs.end());
  for (const graph::Output& output : graph.outputs) kept.insert(output.value);
  double largest = 0;
  for (const graph::Node& node : graph.nodes) {
    for (const graph::ValueId value : node.outputs) {
      if (value == graph::kNoValue) continue;
      largest = std::max(largest, bytes_of(graph.type(value)));
      if (checked) kept.insert(value);
    }
  }
  double bytes = (checked ? kCopiesChecked : kCopiesUnchecked) * largest;
  for (const graph::ValueId value : kept) {
    if (!graph.is_constant(value)) bytes += bytes_of(graph.type(value));
  }
  for (const auto& step : network.steps) {
    if (const auto* segment = std::get_if<compiler::ScheduledSegment>(&step)) {
      bytes += matrix_bytes(*segment, config);
    }
  }
  return bytes;
}

bool weights_fit(const graph::Graph& graph) {
  return constant_bytes(graph) <= static_cast<double>(physical_memory_bytes());
}

void check_weights_fit(const std::string& network, const graph::Graph& graph) {
  check_memory(constant_bytes(graph), network + ": its weights",
               "--engine analytic needs no weights");
}

void check_values_fit(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                      bool checked) {
  const graph::Graph& graph = network.graph;
  for (const graph::Node& node : graph.nodes) {
    for (const graph::ValueId value : node.outputs) {
      if (value == graph::kNoValue) continue;
      check_memory(bytes_of(graph.type(value)), graph::node_label(node) + ": its result", kAdvice);
    }
  }
  check_memory(value_bytes(network, config, checked), "the values of all layers",
               checked ? kCheckedAdvice : kAdvice);
}

}  // namespace weft::runtime
