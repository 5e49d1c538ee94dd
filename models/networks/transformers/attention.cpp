#include "models/networks/transformers/attention.h"

#include <cmath>
#include <numeric>

namespace weft::networks {
namespace {

/// The mask's value for later tokens. It is finite in every format, and its exponential is 0.
constexpr float kMasked = -10000.0F;

/// Splits [batch, sequence, hidden] into heads and transposes by `permutation`: [batch, heads,
/// ...].
ValueId split_heads(Layers& net, ValueId x, std::int64_t heads, const Ints& permutation,
                    const std::string& name) {
  const Shape shape = net.shape(x);
  x = net.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}, name + ".split");
  return net.transpose(x, permutation, name + ".transpose");
}

ValueId merge_heads(Layers& net, ValueId x, const Shape& merged, const std::string& name) {
  x = net.transpose(x, {0, 2, 1, 3}, name + ".context.transpose");
  return net.reshape(x, merged, name + ".context.merge");
}

}  // namespace

ValueId attention(Layers& net, const Projections& projections, std::int64_t heads, ValueId mask,
                  const std::string& name) {
  const Shape shape = net.shape(projections.query);
  const ValueId q = split_heads(net, projections.query, heads, {0, 2, 1, 3}, name + ".query");
  const ValueId k = split_heads(net, projections.key, heads, {0, 2, 3, 1}, name + ".key");
  const ValueId v = split_heads(net, projections.value, heads, {0, 2, 1, 3}, name + ".value");
  ValueId scores = net.add(Op::kMatMul, {q, k}, {}, name + ".scores");
  const std::int64_t head_width = shape[2] / heads;
  const float scale = std::sqrt(static_cast<float>(head_width));
  scores = net.add(Op::kDiv, {scores, net.scalar(scale)}, {}, name + ".scale");
  if (mask != graph::kNoValue) scores = net.add(Op::kAdd, {scores, mask}, {}, name + ".mask");
  const ValueId shares =
      net.add(Op::kSoftmax, {scores}, {{"axis", std::int64_t{-1}}}, name + ".softmax");
  const ValueId context = net.add(Op::kMatMul, {shares, v}, {}, name + ".context");
  return merge_heads(net, context, shape, name);
}

Projections project(Layers& net, ValueId x, const std::string& name) {
  const std::int64_t hidden = net.shape(x).back();
  const ValueId query = net.dense(x, hidden, name + ".query");
  const ValueId key = net.dense(x, hidden, name + ".key");
  return {query, key, net.dense(x, hidden, name + ".value")};
}

ValueId gelu(Layers& net, ValueId x, const std::string& name) {
  const ValueId argument = net.add(Op::kDiv, {x, net.scalar(std::sqrt(2.0F))}, {}, name + ".div");
  const ValueId erf = net.add(Op::kErf, {argument}, {}, name + ".erf");
  const ValueId factor = net.add(Op::kAdd, {erf, net.scalar(1)}, {}, name + ".add");
  const ValueId product = net.add(Op::kMul, {x, factor}, {}, name + ".mul");
  return net.add(Op::kMul, {product, net.scalar(0.5F)}, {}, name + ".half");
}

ValueId embedding(Layers& net, ValueId table, ValueId ids, std::string name) {
  return net.add(Op::kGather, {table, ids}, {{"axis", std::int64_t{0}}}, std::move(name));
}

ValueId causal_mask(Layers& net, std::int64_t sequence) {
  const graph::ValueType type{graph::DataType::kFloat32, {1, 1, sequence, sequence}};
  return net.constant(graph::Constant(type, [type, sequence] {
    graph::Tensor mask(type);
    const auto n = static_cast<std::size_t>(sequence);
    const auto out = mask.mutable_data<float>();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) out[i * n + j] = kMasked;
    }
    return mask;
  }));
}

ValueId positions(Layers& net, std::int64_t count) {
  Ints numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return net.constant(graph::Tensor::of<std::int64_t>({1, count}, numbers));
}

}  // namespace weft::networks
