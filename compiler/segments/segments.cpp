#include "compiler/segments/segments.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/lines/line_plan.h"

namespace weft::compiler {
namespace {

using graph::ValueId;

class Cutter {
 public:
  Cutter(const graph::Graph& graph, const MachineConfig& config, const CompileOptions& options)
      : graph_(graph),
        done_(graph.nodes.size(), false),
        host_only_(graph.nodes.size(), false),
        reasons_(graph.nodes.size()),
        on_host_(graph.values.size(), false),
        planner_(graph, config, on_host_, options) {
    for (const ValueId input : graph.inputs) on_host_[input] = true;
    for (ValueId value = 0; value < graph.values.size(); ++value) {
      if (graph.is_constant(value)) on_host_[value] = true;
    }
  }

  std::vector<std::variant<Segment, HostStep>> run() {
    while (left()) {
      const bool by_host = run_host();
      const bool by_machine = left() && run_machine();
      if (!by_host && !by_machine) throw InputError("the network has a node that nothing can run");
    }
    return std::move(steps_);
  }

 private:
  bool left() const { return std::ranges::find(done_, false) != done_.end(); }

  bool available(const graph::Node& node, const OpenSegment* segment) const {
    return std::ranges::all_of(node.inputs, [&](ValueId input) {
      return input == graph::kNoValue || on_host_[input] ||
             (segment != nullptr && segment->values.contains(input));
    });
  }

  bool run_host() {
    bool moved = false;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const graph::Node& node = graph_.nodes[i];
      if (done_[i] || !available(node, nullptr)) continue;
      const Refusal refusal = host_only_[i] ? "only the host uses its result" : refusal_of(i);
      if (!refusal) continue;
      steps_.emplace_back(HostStep{i, reasons_[i].value_or(*refusal)});
      done_[i] = true;
      for (const ValueId output : node.outputs) {
        if (output != graph::kNoValue) on_host_[output] = true;
      }
      moved = true;
    }
    return moved;
  }

  Refusal refusal_of(std::size_t node) {
    OpenSegment trial;
    std::vector<std::size_t> absorbed;
    return planner_.add(node, trial, absorbed);
  }

  bool run_machine() {
    OpenSegment segment;
    bool moved = false;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (done_[i] || host_only_[i] || !available(graph_.nodes[i], &segment)) continue;
      std::vector<std::size_t> absorbed;
      if (Refusal refusal = planner_.add(i, segment, absorbed)) {
        if (!reasons_[i]) reasons_[i] = std::move(refusal);
        continue;
      }
      done_[i] = true;
      for (const std::size_t node : absorbed) done_[node] = true;
      moved = true;
    }
    if (moved) finish(std::move(segment));
    return moved;
  }

  /// Values that the graph's outputs or the nodes not yet done need.
  std::vector<bool> wanted() const {
    std::vector<bool> wanted(graph_.values.size(), false);
    for (const graph::Output& output : graph_.outputs) wanted[output.value] = true;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (done_[i]) continue;
      for (const ValueId input : graph_.nodes[i].inputs) {
        if (input != graph::kNoValue) wanted[input] = true;
      }
    }
    return wanted;
  }

  /// Gives back to the host the nodes that only rename a host value, if the host needs the result.
  /// Returns true if there were any.
  bool give_back(const OpenSegment& segment) {
    const std::vector<bool> is_wanted = wanted();
    bool any = false;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const ValueId output : graph_.nodes[i].outputs) {
        if (output == graph::kNoValue) continue;
        const auto known = segment.values.find(output);
        if (!done_[i] || on_host_[output] || known == segment.values.end() || !is_wanted[output]) {
          continue;
        }
        if (!segment.sheets[known->second.view.sheet].from_host) continue;
        done_[i] = false;
        // A transposition for a later product is tried again together with that product.
        host_only_[i] = segment.layers.empty() || !planner_.transposes_for_product(graph_.nodes[i]);
        any = true;
      }
    }
    return any;
  }

  void finish(OpenSegment segment) {
    while (give_back(segment)) {
    }
    if (segment.layers.empty()) return;
    const std::vector<bool> is_wanted = wanted();
    planner_.take_lines_apart(segment, is_wanted);
    for (const auto& [value, operand] : segment.values) {
      if (!is_wanted[value] || segment.sheets[operand.view.sheet].from_host) continue;
      segment.sheets[operand.view.sheet].results.push_back(
          {value, host_view(value, operand), operand.quantization, operand.dequantized});
      on_host_[value] = true;
    }
    for (std::size_t i = 0; i < segment.layers.size(); ++i) {
      for_each_sheet(segment.layers[i].body,
                     [&](std::size_t sheet) { segment.sheets[sheet].last_use = i; });
    }
    planner_.keep(segment);
    steps_.emplace_back(static_cast<Segment&&>(segment));
  }

  View host_view(ValueId value, const LayerOperand& operand) const {
    if (!operand.lines.any()) return operand.view;
    return joined_view(operand.view.sheet, graph_.type(value).shape, operand.lines.joined);
  }

  const graph::Graph& graph_;
  std::vector<bool> done_;
  std::vector<bool> host_only_;   // the node only renames a value for the host
  std::vector<Refusal> reasons_;  // why the machine refused a node although it had the operands
  std::vector<bool> on_host_;
  Planner planner_;
  std::vector<std::variant<Segment, HostStep>> steps_;
};

}  // namespace

std::vector<std::variant<Segment, HostStep>> cut_into_segments(const graph::Graph& graph,
                                                               const MachineConfig& config,
                                                               const CompileOptions& options) {
  return Cutter(graph, config, options).run();
}

bool joins_other_lines_for_batch(const graph::Graph& graph, const MachineConfig& config,
                                 MappingOptions options) {
  options.joined_lines.reset();
  const std::vector<ImageLines> of_one = plan_lines(graph, config, options);
  options.joined_lines = true;
  return plan_lines(graph, config, options) != of_one;
}

}  // namespace weft::compiler
