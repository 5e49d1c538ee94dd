#include "models/networks/count.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "sim/config/error.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::ValueId;

const Shape& input_shape(const Graph& graph, const Node& node, std::size_t i) {
  return graph.type(node.inputs[i]).shape;
}

/// The product of all extents of `shape` from the second on, times `count`. For the weights of a
/// convolution [M, C / groups, taps...] these are the MACs of one output element; for those of a
/// transposed one [C, M / groups, taps...] of one input element.
std::int64_t each_times_inner(std::int64_t count, Shape shape) {
  shape.at(0) = count;
  return graph::element_count(shape);
}

std::int64_t output_elements(const Graph& graph, const Node& node) {
  for (const ValueId output : node.outputs) {
    if (output != graph::kNoValue) return graph::element_count(graph.type(output).shape);
  }
  return 0;
}

std::int64_t gemm_depth(const Graph& graph, const Node& node) {
  const Shape& a = input_shape(graph, node, 0);
  return a.at(node.attributes.integer("transA", 0) != 0 ? 0 : 1);
}

std::int64_t recurrent_macs(const Graph& graph, const Node& node) {
  const Shape& x = input_shape(graph, node, 0);
  const Shape& w = input_shape(graph, node, 1);
  const Shape& r = input_shape(graph, node, 2);
  return graph::element_count({x.at(0), x.at(1), w.at(0), w.at(1), w.at(2) + r.at(2)});
}

std::int64_t signed_macs(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::kConv:
    case Op::kConvInteger:
      return each_times_inner(output_elements(graph, node), input_shape(graph, node, 1));
    case Op::kQLinearConv:
      return each_times_inner(output_elements(graph, node), input_shape(graph, node, 3));
    case Op::kConvTranspose:
      return each_times_inner(graph::element_count(input_shape(graph, node, 0)),
                              input_shape(graph, node, 1));
    case Op::kMatMul:
    case Op::kMatMulInteger:
    case Op::kQLinearMatMul:
      return graph::element_count(
          {output_elements(graph, node), input_shape(graph, node, 0).back()});
    case Op::kGemm:
      return graph::element_count({output_elements(graph, node), gemm_depth(graph, node)});
    case Op::kLstm:
    case Op::kGru:
    case Op::kRnn:
      return recurrent_macs(graph, node);
    default:
      return 0;
  }
}

/// What a constant must be to be a parameter where `node` takes it.
enum class Rule : std::uint8_t {
  kAny,      // the place is for parameters alone
  kNumbers,  // other things stand there too: no scalar, no index, no mask
};

struct Slots {
  std::vector<std::size_t> inputs;
  Rule rule = Rule::kAny;
};

Slots parameter_slots(Op op) {
  switch (op) {
    case Op::kConv:
    case Op::kConvTranspose:
    case Op::kBatchNormalization:  // 3 and 4 are statistics
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
      return {{1, 2, 3, 7}};  // 7: peepholes
    case Op::kGru:
    case Op::kRnn:
      return {{1, 2, 3}};
    case Op::kAdd:  // a bias
    case Op::kSub:
    case Op::kMul:  // a scale
    case Op::kDiv:
      return {{0, 1}, Rule::kNumbers};
    case Op::kGather:     // a table
    case Op::kTranspose:  // these stand between a stored weight and its use
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

/// Values that only Softmax nodes use: attention scores with their mask.
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

class ParameterCount {
 public:
  explicit ParameterCount(const Graph& graph) : graph_(graph), scores_(scores(graph)) {
    for (const Node& node : graph.nodes) add(node);
  }

  std::uint64_t total() const { return total_; }

 private:
  void add(const Node& node) {
    const Slots slots = parameter_slots(node.op);
    for (const std::size_t i : slots.inputs) {
      const ValueId value = node.input(i);
      if (value == graph::kNoValue || !graph_.is_constant(value)) continue;
      if (slots.rule == Rule::kNumbers && !is_parameter(node, value)) continue;
      if (!counted_.insert(value).second) continue;
      total_ += static_cast<std::uint64_t>(graph::element_count(graph_.type(value).shape));
    }
  }

  /// A mask is what is added to scores and varies along two dimensions; a bias varies along one.
  bool is_parameter(const Node& node, ValueId value) const {
    const auto& [type, shape] = graph_.type(value);
    if (is_index(type) || extents_above_one(shape) == 0) return false;
    const bool added_to_scores = node.op == Op::kAdd && scores_.contains(node.outputs.at(0));
    return !added_to_scores || extents_above_one(shape) < 2;
  }

  const Graph& graph_;
  std::unordered_set<ValueId> scores_;
  std::unordered_set<ValueId> counted_;
  std::uint64_t total_ = 0;
};

}  // namespace

std::uint64_t count_macs(const Graph& graph, const Node& node) {
  try {
    return static_cast<std::uint64_t>(signed_macs(graph, node));
  } catch (const InputError&) {  // the number of elements of some shape overflows
    throw InputError(graph::node_label(node) + ": more MACs than 63 bits count");
  }
}

std::uint64_t count_macs(const Graph& graph) {
  std::uint64_t total = 0;
  for (const Node& node : graph.nodes) {
    if (__builtin_add_overflow(total, count_macs(graph, node), &total)) {
      throw InputError("network '" + graph.name + "': more MACs than 64 bits count");
    }
  }
  return total;
}

std::uint64_t count_parameters(const Graph& graph) {
  return ParameterCount(graph).total();
}

}  // namespace weft::networks
