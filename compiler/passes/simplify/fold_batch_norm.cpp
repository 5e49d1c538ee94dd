#include "compiler/passes/simplify/fold_batch_norm.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Constant;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

namespace {

/// The constants of a BatchNormalization, each of shape [channels].
struct NormConstants {
  Constant scale;
  Constant beta;
  Constant mean;
  Constant variance;
  double epsilon = 0;
};

std::optional<NormConstants> statistics(const Rewriter& rewriter, const Node& node) {
  std::vector<Constant> constants;
  for (std::size_t i = 1; i < 5; ++i) {
    const Constant* constant = rewriter.constant(node.input(i));
    if (constant == nullptr) return std::nullopt;
    constants.push_back(*constant);
  }
  const double epsilon = static_cast<double>(node.attributes.real("epsilon", 1e-5F));
  return NormConstants{constants[0], constants[1], constants[2], constants[3], epsilon};
}

std::vector<double> factors(const Tensor& scale, const Tensor& variance, double epsilon) {
  std::vector<double> result = real_values(scale);
  const std::vector<double> variances = real_values(variance);
  for (std::size_t c = 0; c < result.size(); ++c) result[c] /= std::sqrt(variances[c] + epsilon);
  return result;
}

Constant factor_constant(const NormConstants& s, const ValueType& type) {
  return derive(type, {s.scale, s.variance},
                [type, epsilon = s.epsilon](std::span<const Tensor> sources) {
                  return real_tensor(type, factors(sources[0], sources[1], epsilon));
                });
}

/// (bias_factor * bias - mean) * f + beta, with bias 0 if there is none.
Constant shift_constant(const NormConstants& s, const ValueType& type,
                        const std::optional<Constant>& bias, double bias_factor) {
  std::vector<Constant> all = {s.scale, s.variance, s.mean, s.beta};
  if (bias) all.push_back(*bias);
  return derive(type, std::move(all),
                [type, bias_factor, epsilon = s.epsilon](std::span<const Tensor> sources) {
                  const std::vector<double> f = factors(sources[0], sources[1], epsilon);
                  const std::vector<double> mean = real_values(sources[2]);
                  std::vector<double> shift = real_values(sources[3]);
                  std::vector<double> before(f.size());
                  if (sources.size() > 4) before = real_values(sources[4]);
                  for (std::size_t c = 0; c < f.size(); ++c) {
                    shift[c] += (bias_factor * before[c] - mean[c]) * f[c];
                  }
                  return real_tensor(type, shift);
                });
}

/// Scales all neighboring elements of a channel together, because this function processes the
/// weights of whole networks.
template <class T>
void scale(std::span<T> values, const ChannelLayout& layout, std::span<const double> factors) {
  const auto inner = static_cast<std::size_t>(layout.inner);
  for (std::size_t first = 0; first < values.size(); first += inner) {
    const double factor = factors[layout.channel(first)];
    for (T& value : values.subspan(first, inner)) {
      value = static_cast<T>(static_cast<double>(value) * factor);
    }
  }
}

Constant scaled_weights(const NormConstants& s, const Constant& weights, ChannelLayout layout) {
  return derive(weights.type(), {weights, s.scale, s.variance},
                [layout, epsilon = s.epsilon](std::span<const Tensor> sources) {
                  const std::vector<double> f = factors(sources[1], sources[2], epsilon);
                  if (sources[0].type() == graph::DataType::kFloat32) {
                    Tensor scaled = sources[0];
                    scale(scaled.mutable_data<float>(), layout, f);
                    return scaled;
                  }
                  std::vector<double> values = real_values(sources[0]);
                  scale(std::span(values), layout, f);
                  return real_tensor(sources[0].value_type(), values);
                });
}

/// The contraction that makes `value`, if a normalization over axis 1 can be folded into it; else
/// null.
const Node* foldable(const Rewriter& rewriter, ValueId value) {
  const Node* node = rewriter.producer(value);
  if (node == nullptr || !is_contraction(node->op) || !rewriter.used_once(value)) return nullptr;
  const auto rank = static_cast<std::int64_t>(rewriter.type(value).shape.size());
  const bool constant = rewriter.constant(node->input(kWeights)) != nullptr;
  if (!constant || !ends_with_bias(*node) || channel_axis(node->op, rank) != 1) return nullptr;
  return node;
}

/// Returns false if `node`, a BatchNormalization, cannot be folded into a contraction before it.
bool fold_into_contraction(Rewriter& rewriter, const Node& node, const NormConstants& s) {
  const Node* found = foldable(rewriter, node.inputs[0]);
  if (found == nullptr) return false;
  const ValueType& output = rewriter.type(node.inputs[0]);
  const Constant weights = *rewriter.constant(found->inputs[kWeights]);
  const auto layout = channel_layout(*found, weights.type().shape);
  std::optional<Constant> bias;
  if (const ValueId old = found->input(kBias); old != kNoValue) {
    if (rewriter.constant(old) == nullptr) return false;
    bias = channel_bias(found->op, *rewriter.constant(old), output);
    if (!bias) return false;
  }
  if (!layout) return false;
  const ValueType channels{output.type, {output.shape[1]}};
  Node folded = rewriter.take(node.inputs[0]);
  const auto beta = static_cast<double>(folded.attributes.real("beta", 1));
  folded.attributes.erase("beta");
  const auto set = [&](std::size_t place, const Constant& constant, const char* name) {
    set_input(folded, place, rewriter.add_constant(constant, folded.name + name));
  };
  set(kWeights, scaled_weights(s, weights, *layout), "/weights");
  set(kBias, shift_constant(s, channels, bias, beta), "/bias");
  folded.outputs = {node.outputs[0]};
  rewriter.emit(std::move(folded));
  return true;
}

void become_mul_add(Rewriter& rewriter, const Node& node, const NormConstants& s) {
  const ValueType& input = rewriter.type(node.inputs[0]);
  const std::int64_t channels = s.scale.type().shape[0];
  const ValueType type{input.type, {channels}};
  Shape shape(input.shape.size(), 1);
  shape[1] = channels;
  const auto spread = [&](const Constant& constant, const char* name) {
    return rewriter.add_constant(reshaped(constant, shape), node.name + name);
  };
  const ValueId factor = spread(factor_constant(s, type), "/factor");
  const ValueId shift = spread(shift_constant(s, type, std::nullopt, 0), "/shift");
  const ValueId scaled =
      rewriter.add(Op::kMul, {node.inputs[0], factor}, {}, node.name + "/scaled");
  rewriter.emit({Op::kAdd, node.name, {scaled, shift}, {node.outputs[0]}, {}});
}

bool visit(Rewriter& rewriter, const Node& node) {
  const bool training = node.attributes.integer("training_mode", 0) != 0;
  if (node.op != Op::kBatchNormalization || training) return false;
  const auto constants = statistics(rewriter, node);
  if (!constants || rewriter.type(node.inputs[0]).shape.size() < 2) return false;
  if (!fold_into_contraction(rewriter, node, *constants))
    become_mul_add(rewriter, node, *constants);
  return true;
}

}  // namespace

graph::Graph fold_batch_norm(graph::Graph graph) {
  return rewrite(std::move(graph), visit);
}

}  // namespace weft::passes
