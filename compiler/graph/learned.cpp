#include "compiler/graph/learned.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

namespace weft::graph {
namespace {

/// Decides whether a constant at an input of an operator is a parameter.
enum class Rule : std::uint8_t {
  kAny,      // always: this input only takes parameters
  kNumbers,  // unless it is a scalar, an index or a mask
};

struct Slots {
  std::vector<std::size_t> inputs;
  Rule rule = Rule::kAny;
};

Slots parameter_slots(Op op) {
  switch (op) {
    case Op::kConv:
    case Op::kConvTranspose:
    case Op::kBatchNormalization:  // inputs 3 and 4 are statistics
    case Op::kInstanceNormalization:
    case Op::kLayerNormalization:
      return {{1, 2}};
    case Op::kConvInteger:
    case Op::kPRelu:
      return {{1}};
    case Op::kMatMul:
    case Op::kGemm:
      return {{0, 1, 2}};
    case Op::kMatMulInteger:
      return {{0, 1}};
    case Op::kQLinearConv:
      return {{3, 8}};
    case Op::kQLinearMatMul:
      return {{0, 3}};
    case Op::kLstm:
      return {{1, 2, 3, 7}};  // input 7: peepholes
    case Op::kGru:
    case Op::kRnn:
      return {{1, 2, 3}};
    case Op::kAdd:  // a bias
    case Op::kSub:
    case Op::kMul:  // a scale
    case Op::kDiv:
      return {{0, 1}, Rule::kNumbers};
    case Op::kGather:     // a table
    case Op::kTranspose:  // this and the following occur between a stored weight and its use
    case Op::kReshape:
    case Op::kExpand:
    case Op::kIdentity:
    case Op::kCast:
    case Op::kQuantizeLinear:
    case Op::kDequantizeLinear:
      return {{0}, Rule::kNumbers};
    case Op::kConcat:  // a class token
      return {{0, 1}, Rule::kNumbers};
    default:
      return {};
  }
}

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
    const Slots slots = parameter_slots(node.op);
    for (const std::size_t i : slots.inputs) {
      const ValueId value = node.input(i);
      if (value == kNoValue || !graph_.is_constant(value)) continue;
      if (slots.rule == Rule::kNumbers && !is_parameter(node, value)) continue;
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
