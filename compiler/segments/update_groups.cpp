#include "compiler/segments/update_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {
namespace {

using graph::kNoValue;
using graph::Op;
using graph::ValueId;

/// Combinations and functions that are exact or rounded once.
std::optional<VectorCombine> update_combine_of(Op op) {
  return has(op, graph::Trait::kUpdate) ? lane_combine(op) : std::nullopt;
}

std::optional<VectorOp> function_of(const graph::Node& node) {
  if (node.op == Op::kIdentity) return VectorOp::kCopy;
  const auto function = has(node.op, graph::Trait::kUpdate) ? lane_function(node) : std::nullopt;
  return function ? std::optional(function->op) : std::nullopt;
}

[[noreturn]] void refuse(const graph::Node& node, std::string_view why) {
  throw InputError(fmt::format("{}: {}", graph::node_label(node), why));
}

/// The graph's nodes as operations. A function joins the operation before it if it alone uses that
/// result.
class Operations {
 public:
  explicit Operations(const graph::Graph& graph) : graph_(graph), uses_(graph::use_counts(graph)) {
    for (const graph::Node& node : graph.nodes) add(node);
  }

  std::vector<LaneOperation> take() { return std::move(operations_); }

 private:
  void add(const graph::Node& node) {
    check(node);
    const auto combine = update_combine_of(node.op);
    const auto function = function_of(node);
    if (!combine && !function) refuse(node, "an update has no such operator");
    if (function && join(node, *function)) return;
    LaneOperation operation;
    operation.a = node.inputs[0];
    operation.result = node.outputs[0];
    if (combine) {
      operation.combine = *combine;
      operation.b = node.inputs[1];
    } else {
      operation.op = *function;
    }
    operations_.push_back(operation);
  }

  bool join(const graph::Node& node, VectorOp function) {
    const ValueId argument = node.inputs[0];
    const auto maker = std::ranges::find(operations_, argument, &LaneOperation::result);
    if (maker == operations_.end() || maker->op != VectorOp::kCopy || uses_[argument] != 1) {
      return false;
    }
    maker->op = function;
    maker->result = node.outputs[0];
    return true;
  }

  void check(const graph::Node& node) const {
    const graph::ValueType& result = graph_.type(node.outputs[0]);
    const std::int64_t count = graph::element_count(result.shape);
    if (result.type != graph::DataType::kFloat32) refuse(node, "an update must compute in float32");
    for (const ValueId input : node.inputs) {
      const std::int64_t own = graph::element_count(graph_.type(input).shape);
      if (own != count && own != 1) {
        refuse(node, "an update can only broadcast single numbers");
      }
    }
    if (count == 0) refuse(node, "its result is empty");
  }

  const graph::Graph& graph_;
  const std::vector<std::size_t> uses_;
  std::vector<LaneOperation> operations_;
};

class Groups {
 public:
  Groups(const graph::Graph& graph, std::vector<LaneOperation> operations)
      : graph_(graph), leader_(graph.values.size()) {
    std::iota(leader_.begin(), leader_.end(), ValueId{0});
    for (const LaneOperation& operation : operations) join(operation);
    for (LaneOperation& operation : operations) add(std::move(operation));
  }

  /// Single numbers come first, since the other groups may use them.
  std::vector<UpdateGroup> take() {
    std::stable_partition(groups_.begin(), groups_.end(),
                          [](const UpdateGroup& group) { return group.elements == 1; });
    return std::move(groups_);
  }

 private:
  std::int64_t count(ValueId value) const { return graph::element_count(graph_.type(value).shape); }
  ValueId leader(ValueId value) const {
    while (leader_[value] != value) value = leader_[value];
    return value;
  }

  /// Joins the groups of operands and result, if these have the same size.
  void join(const LaneOperation& operation) {
    for (const ValueId input : {operation.a, operation.b}) {
      if (input == kNoValue || count(input) != count(operation.result)) continue;
      leader_[leader(operation.result)] = leader(input);
    }
  }

  void add(LaneOperation operation) {
    const std::int64_t elements = count(operation.result);
    const ValueId name = elements == 1 ? kNoValue : leader(operation.result);
    const auto [at, is_new] = numbers_.try_emplace(name, groups_.size());
    if (is_new) groups_.push_back({elements, {}, {}});
    UpdateGroup& group = groups_[at->second];
    for (const ValueId value : {operation.a, operation.b, operation.result}) {
      const bool known = std::ranges::find(group.values, value) != group.values.end();
      if (value != kNoValue && count(value) == elements && !known) group.values.push_back(value);
    }
    group.operations.push_back(std::move(operation));
  }

  const graph::Graph& graph_;
  std::vector<ValueId> leader_;
  std::map<ValueId, std::size_t> numbers_;
  std::vector<UpdateGroup> groups_;
};

}  // namespace

std::vector<UpdateGroup> update_groups(const graph::Graph& graph) {
  return Groups(graph, Operations(graph).take()).take();
}

}  // namespace weft::compiler
