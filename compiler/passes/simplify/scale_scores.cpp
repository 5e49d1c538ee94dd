#include "compiler/passes/simplify/scale_scores.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::ValueId;

/// By value: whether only scales and masks are between it and a softmax.
std::vector<bool> find_scores(const Graph& graph) {
  std::vector<bool> scores(graph.values.size(), false);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_step = node->op == Op::kAdd || node->op == Op::kSub || node->op == Op::kMul ||
                         node->op == Op::kDiv || node->op == Op::kWhere;
    if (node->op == Op::kSoftmax) {
      scores[node->inputs[0]] = true;
    } else if (is_step && scores[node->outputs[0]]) {
      for (const ValueId input : node->inputs) {
        if (graph.type(input) == graph.type(node->outputs[0])) scores[input] = true;
      }
    }
  }
  return scores;
}

/// A value times a number.
struct Scaled {
  ValueId value = kNoValue;
  double factor = 1;
};

std::optional<double> number(const Rewriter& rewriter, ValueId value) {
  const graph::Tensor* const tensor = rewriter.ready(value);
  if (tensor == nullptr || tensor->size() != 1 || tensor->type() != graph::DataType::kFloat32) {
    return std::nullopt;
  }
  const double factor = real_values(*tensor).front();
  return std::isnormal(factor) ? std::optional(factor) : std::nullopt;
}

/// The operand as a multiple of another value, which only this product uses.
std::optional<Scaled> scaled(const Rewriter& rewriter, ValueId operand) {
  const Node* const node = rewriter.producer(operand);
  if (node == nullptr || (node->op != Op::kMul && node->op != Op::kDiv)) return std::nullopt;
  if (node->inputs.size() != 2 || !rewriter.used_once(operand)) return std::nullopt;
  const bool swapped = node->op == Op::kMul && rewriter.constant(node->inputs[0]) != nullptr;
  const ValueId value = node->inputs[swapped ? 1 : 0];
  const auto factor = number(rewriter, node->inputs[swapped ? 0 : 1]);
  if (!factor || rewriter.constant(value) != nullptr) return std::nullopt;
  if (rewriter.type(value) != rewriter.type(operand)) return std::nullopt;
  return Scaled{value, node->op == Op::kMul ? *factor : 1 / *factor};
}

/// The factor, or the power of two from which it differs by a rounding of each of two factors.
float rounded(double factor) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);  // of magnitude from 0.5 to 1
  const double magnitude = std::abs(fraction);
  constexpr double kTwoRoundings = 1.0 / (1 << 23);
  const double power = magnitude < 0.75 ? 0.5 : 1.0;
  const bool is_power = std::abs(magnitude - power) <= kTwoRoundings * power;
  return static_cast<float>(is_power ? std::ldexp(std::copysign(power, factor), exponent) : factor);
}

bool scale_after(Rewriter& rewriter, const Node& product, const std::vector<bool>& scores) {
  const ValueId result = product.outputs[0];
  if (product.op != Op::kMatMul || product.inputs.size() != 2) return false;
  if (result >= scores.size() || !scores[result] || !rewriter.used_once(result)) return false;
  if (product.inputs[0] == product.inputs[1]) return false;
  Node plain = product;
  double factor = 1;
  std::vector<ValueId> moved;
  for (ValueId& input : plain.inputs) {
    const auto operand = scaled(rewriter, input);
    if (!operand) continue;
    factor *= operand->factor;
    moved.push_back(std::exchange(input, operand->value));
  }
  const float whole = rounded(factor);
  if (moved.empty() || !std::isnormal(whole)) return false;
  for (const ValueId operand : moved) rewriter.take(operand);
  const std::string stem = rewriter.name(result);
  plain.outputs[0] = rewriter.new_value(rewriter.type(result), stem + "/unscaled");
  Node scale;
  scale.name = rewriter.unique(product.name + "/scale");
  scale.op = Op::kMul;
  scale.inputs = {plain.outputs[0],
                  rewriter.add_constant(graph::Tensor::scalar(whole), stem + "/factor")};
  scale.outputs = {result};
  rewriter.emit(std::move(plain));
  rewriter.emit(std::move(scale));
  return true;
}

}  // namespace

Graph scale_scores(Graph graph) {
  const std::vector<bool> scores = find_scores(graph);
  return rewrite(std::move(graph), [&](Rewriter& rewriter, const Node& node) {
    return scale_after(rewriter, node, scores);
  });
}

}  // namespace weft::passes
