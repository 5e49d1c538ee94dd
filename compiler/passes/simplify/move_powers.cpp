#include "compiler/passes/simplify/move_powers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/remove_dead_code.h"

namespace weft::passes {

using graph::Constant;
using graph::Graph;
using graph::kNoProducer;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

constexpr int kMostExponent = 8;

/// Half-open range of indices of the last axis.
struct Channels {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// A constant input to be multiplied: all of it, or the elements of some channels.
struct Edit {
  std::size_t node = 0;
  std::size_t input = 0;
  ChannelLayout layout = {};
  std::optional<Channels> channels = {};
};

Constant scaled(const Constant& constant, const Edit& edit, float factor) {
  return derive(constant.type(), {constant}, [=](std::span<const Tensor> sources) {
    Tensor result = sources[0];
    const auto elements = result.mutable_data<float>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (edit.channels) {
        const auto channel = static_cast<std::int64_t>(edit.layout.channel(i));
        if (channel < edit.channels->first || channel >= edit.channels->last) continue;
      }
      elements[i] *= factor;
    }
    return result;
  });
}

/// True for nodes that give the same elements another shape or order.
bool only_views(Op op) {
  return op == Op::kReshape || op == Op::kTranspose || op == Op::kFlatten || op == Op::kSqueeze ||
         op == Op::kUnsqueeze || op == Op::kIdentity;
}

class PowerMover {
 public:
  explicit PowerMover(Graph graph) : graph_(std::move(graph)) {
    for (const graph::Value& value : graph_.values) names_.insert(value.name);
    index();
  }

  Graph run() && {
    for (std::size_t i = 0; i < graph_.nodes.size();) {
      if (!try_move(i)) ++i;
    }
    return remove_dead_code(std::move(graph_));
  }

 private:
  void index() {
    producers_ = graph::producers(graph_);
    uses_ = graph::use_counts(graph_);
    users_.assign(graph_.values.size(), kNoProducer);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const ValueId input : graph_.nodes[i].inputs) {
        if (input != kNoValue) users_[input] = i;
      }
    }
  }

  /// The number of the input that is scaled; the other one is the factor.
  std::size_t scaled_input(const Node& node) const {
    return node.op == Op::kMul && graph_.is_constant(node.inputs[0]) ? 1 : 0;
  }

  /// k if the node multiplies its scaled input by 2^k.
  std::optional<int> exponent_of(const Node& node) const {
    if ((node.op != Op::kMul && node.op != Op::kDiv) || node.inputs.size() != 2)
      return std::nullopt;
    const ValueId x = node.inputs[scaled_input(node)];
    const ValueId factor = node.inputs[1 - scaled_input(node)];
    if (graph_.is_constant(x) || !is_scalable(factor)) return std::nullopt;
    if (graph_.type(x) != graph_.type(node.outputs[0])) return std::nullopt;
    const Tensor* number = graph_.values[factor].constant->ready();
    if (number == nullptr || number->size() != 1) return std::nullopt;
    int exponent = 0;
    if (std::frexp(number->data<float>()[0], &exponent) != 0.5F) return std::nullopt;
    const int power = node.op == Op::kMul ? exponent - 1 : 1 - exponent;
    return std::abs(power) <= kMostExponent ? std::optional(power) : std::nullopt;
  }

  bool is_float32(ValueId value) const {
    return graph_.type(value).type == graph::DataType::kFloat32;
  }
  bool is_scalable(ValueId value) const {
    return value != kNoValue && graph_.is_constant(value) && is_float32(value);
  }

  /// Removes node `at` if its factor can move.
  bool try_move(std::size_t at) {
    const Node& node = graph_.nodes[at];
    const auto exponent = exponent_of(node);
    if (!exponent) return false;
    edits_.clear();
    const ValueId before = node.inputs[scaled_input(node)];
    const ValueId after = node.outputs[0];
    if (!raise(before, std::nullopt) && !sink(after)) return false;
    for (const Edit& edit : edits_) apply(edit, std::ldexp(1.0F, *exponent));
    graph_.nodes.erase(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(at));
    for (Node& other : graph_.nodes) std::ranges::replace(other.inputs, after, before);
    for (graph::Output& output : graph_.outputs) {
      if (output.value == after) output.value = before;
    }
    index();
    return true;
  }

  void apply(const Edit& edit, float factor) {
    ValueId& input = graph_.nodes[edit.node].inputs[edit.input];
    const graph::Value& old = graph_.values[input];
    Constant constant = scaled(*old.constant, edit, factor);
    std::string name = old.name;
    do name += "/scaled";
    while (!names_.insert(name).second);
    graph::ValueType type = constant.type();
    graph_.values.push_back({std::move(name), std::move(type), std::move(constant)});
    input = static_cast<ValueId>(graph_.values.size() - 1);
  }

  // --- Up: to the node that makes a value ---

  bool raise(ValueId value, std::optional<Channels> channels) {
    if (uses_[value] != 1 || producers_[value] == kNoProducer) return false;
    const std::size_t begun = edits_.size();
    const std::size_t at = producers_[value];
    const Node& node = graph_.nodes[at];
    bool done = false;
    if (is_contraction(node.op)) {
      done = raise_product(at, channels);
    } else if (node.op == Op::kAdd) {
      done = raise_sum(at, channels);
    } else if (node.op == Op::kSplit) {
      done = !channels && raise_split(node, value);
    } else if (only_views(node.op)) {
      done = (!channels || keeps_last_axis(node)) && raise(node.inputs[0], channels);
    }
    if (!done) edits_.resize(begun);
    return done;
  }

  bool keeps_last_axis(const Node& node) const {
    const Shape& from = graph_.type(node.inputs[0]).shape;
    const Shape& to = graph_.type(node.outputs[0]).shape;
    return node.op == Op::kReshape && !from.empty() && !to.empty() && from.back() == to.back();
  }

  bool raise_product(std::size_t at, std::optional<Channels> channels) {
    const Node& node = graph_.nodes[at];
    if (!ends_with_bias(node)) return false;
    const ValueId weights = node.inputs[kWeights];
    const ValueId bias = node.input(kBias);
    if (!graph_.is_constant(weights)) {
      if (node.op != Op::kMatMul || bias != kNoValue || channels) return false;
      return raise(node.inputs[0], channels) || raise(weights, channels);
    }
    const Shape& shape = graph_.type(weights).shape;
    const auto layout = channel_layout(node, shape);
    const auto rank = static_cast<std::int64_t>(graph_.type(node.outputs[0]).shape.size());
    if (!is_scalable(weights) || !layout) return false;
    if (channels && channel_axis(node.op, rank) != rank - 1) return false;
    edits_.push_back({at, kWeights, *layout, channels});
    return bias == kNoValue || scale_addend(at, kBias, layout->channels, channels);
  }

  bool raise_sum(std::size_t at, std::optional<Channels> channels) {
    const Node& node = graph_.nodes[at];
    if (node.inputs.size() != 2) return false;
    const std::size_t addend = graph_.is_constant(node.inputs[0]) ? 0 : 1;
    const ValueId other = node.inputs[1 - addend];
    const graph::ValueType& type = graph_.type(node.outputs[0]);
    if (graph_.is_constant(other) || graph_.type(other) != type || type.shape.empty()) return false;
    return scale_addend(at, addend, type.shape.back(), channels) && raise(other, channels);
  }

  /// Multiplies a constant that is added to `columns` columns.
  bool scale_addend(std::size_t at, std::size_t input, std::int64_t columns,
                    std::optional<Channels> channels) {
    const ValueId value = graph_.nodes[at].inputs[input];
    if (!is_scalable(value)) return false;
    const Shape& shape = graph_.type(value).shape;
    if (channels && (shape.empty() || shape.back() != columns)) return false;
    const std::int64_t rows = columns == 0 ? 0 : graph::element_count(shape) / columns;
    edits_.push_back({at, input, {1, columns, std::max<std::int64_t>(rows, 1)}, channels});
    return true;
  }

  bool raise_split(const Node& node, ValueId value) {
    const Shape& shape = graph_.type(node.inputs[0]).shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (graph::normalized_axis(node.attributes.integer("axis", 0), rank) != rank - 1) return false;
    Channels part;
    for (const ValueId output : node.outputs) {
      if (output == kNoValue) return false;
      part.last = part.first + graph_.type(output).shape.back();
      if (output == value) break;
      part.first = part.last;
    }
    return raise(node.inputs[0], part);
  }

  // --- Down: to the node that uses a value ---

  bool sink(ValueId value) {
    if (uses_[value] != 1 || users_[value] == kNoProducer) return false;
    const std::size_t at = users_[value];
    const Node& node = graph_.nodes[at];
    if (is_contraction(node.op)) {
      const bool streams = node.inputs[0] == value && is_scalable(node.inputs[kWeights]);
      if (streams) edits_.push_back({at, kWeights});
      return streams;
    }
    const bool passes = node.op == Op::kMul || (node.op == Op::kDiv && node.inputs[0] == value) ||
                        (only_views(node.op) && node.inputs[0] == value);
    return passes && sink(node.outputs[0]);
  }

  Graph graph_;
  std::vector<std::size_t> producers_;
  std::vector<std::size_t> uses_;
  std::vector<std::size_t> users_;  // the last node that uses a value
  std::unordered_set<std::string> names_;
  std::vector<Edit> edits_;
};

}  // namespace

graph::Graph move_powers(graph::Graph graph) {
  return PowerMover(std::move(graph)).run();
}

}  // namespace weft::passes
