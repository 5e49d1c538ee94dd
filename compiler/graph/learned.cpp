#include "compiler/graph/learned.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "compiler/graph/operator_table.h"

namespace weft::graph {
namespace {

bool is_index(DataType type) {
  return type == DataType::kInt64 || type == DataType::kBool;
}

std::int64_t extents_above_one(const Shape& shape) {
  return std::ranges::count_if(shape, [](std::int64_t extent) { return extent > 1; });
}

/// The values that only Softmax nodes use: attention scores, with the mask added.
std::unordered_set<ValueId> scores(const Graph& graph) {
  std::unordered_set<ValueId> used;
  std::unordered_set<ValueId> elsewhere;
  for (const Node& node : graph.nodes) {
    auto& set = node.op == Op::kSoftmax ? used : elsewhere;
    set.insert(node.inputs.begin(), node.inputs.end());
  }
  std::erase_if(used, [&](ValueId value) { return elsewhere.contains(value); });
  return used;
}

class LearnedConstants {
 public:
  explicit LearnedConstants(const Graph& graph) : graph_(graph), scores_(scores(graph)) {
    for (const Node& node : graph.nodes) add(node);
  }

  std::vector<ValueId> take() { return std::move(found_); }

 private:
  void add(const Node& node) {
    const LearnedInputs& learned = operator_of(node.op).learned;
    for (const std::size_t i : learned.inputs) {
      const ValueId value = node.input(i);
      if (value == kNoValue || !graph_.is_constant(value)) continue;
      if (learned.rule == LearnedInputs::Rule::kNumbers && !is_parameter(node, value)) continue;
      if (seen_.insert(value).second) found_.push_back(value);
    }
  }

  /// A constant that is added to attention scores is a mask if it varies along two or more
  /// dimensions, and a bias if it varies along one.
  bool is_parameter(const Node& node, ValueId value) const {
    const auto& [type, shape] = graph_.type(value);
    if (is_index(type) || extents_above_one(shape) == 0) return false;
    const bool added_to_scores = node.op == Op::kAdd && scores_.contains(node.outputs.at(0));
    return !added_to_scores || extents_above_one(shape) < 2;
  }

  const Graph& graph_;
  std::unordered_set<ValueId> scores_;
  std::unordered_set<ValueId> seen_;
  std::vector<ValueId> found_;
};

}  // namespace

std::vector<ValueId> learned_constants(const Graph& graph) {
  return LearnedConstants(graph).take();
}

}  // namespace weft::graph
