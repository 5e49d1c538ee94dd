#include "models/networks/transformers/llama.h"

#include <fmt/format.h>

#include <cmath>

#include "models/networks/builders.h"
#include "models/networks/layers.h"
#include "models/networks/transformers/attention.h"

namespace weft::networks {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr double kRotaryBase = 10000;

class Llama {
 public:
  Llama(const LlamaSizes& sizes, const NetworkOptions& options)
      : sizes_(sizes),
        net_(sizes.name, options.seed),
        batch_(options.batch),
        tokens_(options.kv_cache ? 1 : options.sequence.value()),
        cached_(options.kv_cache.value_or(0)) {}

  graph::Graph build() {
    const ValueId ids = net_.input("input_ids", graph::DataType::kInt64, {batch_, tokens_});
    const ValueId words =
        net_.parameter("embed_tokens.weight", {sizes_.vocabulary, sizes_.hidden}, kEmbedding);
    ValueId x = embedding(net_, words, ids, "embed_tokens");
    cos_ = rotation("cos", [](double angle) { return std::cos(angle); });
    sin_ = rotation("sin", [](double angle) { return std::sin(angle); });
    if (tokens_ > 1) mask_ = causal_mask(net_, tokens_);
    for (int i = 0; i < sizes_.layers; ++i) x = decoder(x, fmt::format("layers.{}", i));
    x = rms_norm(x, "norm");
    return net_.finish(linear(x, sizes_.vocabulary, "lm_head"), "logits");
  }

 private:
  /// MatMul without a bias, with weights stored as [inputs, outputs].
  ValueId linear(ValueId x, std::int64_t outputs, const std::string& name) {
    const std::int64_t inputs = net_.shape(x).back();
    const ValueId weight =
        net_.parameter(name + ".weight", {inputs, outputs}, weights_for(inputs, Gain::kLinear));
    return net_.add(Op::kMatMul, {x, weight}, {}, name);
  }

  /// weight * (x * (1 / sqrt(mean(x^2) + epsilon))).
  ValueId rms_norm(ValueId x, const std::string& name) {
    const ValueId square = net_.add(Op::kPow, {x, net_.scalar(2)}, {}, name + ".pow");
    const ValueId mean =
        net_.add(Op::kReduceMean, {square}, {{"axes", Ints{-1}}, {"keepdims", std::int64_t{1}}},
                 name + ".mean");
    const ValueId sum = net_.add(Op::kAdd, {mean, net_.scalar(kEpsilon)}, {}, name + ".add");
    const ValueId root = net_.add(Op::kSqrt, {sum}, {}, name + ".sqrt");
    const ValueId inverse = net_.add(Op::kReciprocal, {root}, {}, name + ".reciprocal");
    const ValueId normal = net_.add(Op::kMul, {x, inverse}, {}, name + ".normal");
    const ValueId weight = net_.parameter(name + ".weight", {net_.shape(x).back()}, kScale);
    return net_.add(Op::kMul, {weight, normal}, {}, name);
  }

  /// [1, 1, tokens, head width]: `function` of the angle by which each pair of elements turns. As
  /// exporters write it, an Unsqueeze gives it the axis of the heads.
  template <class Function>
  ValueId rotation(const char* name, Function function) {
    const graph::ValueType type{graph::DataType::kFloat32, {1, tokens_, sizes_.head_width()}};
    const std::int64_t first = cached_;
    const ValueId table = net_.constant(graph::Constant(type, [type, first, function] {
      graph::Tensor tensor(type);
      const auto out = tensor.mutable_data<float>();
      const auto width = static_cast<std::size_t>(type.shape[2]);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto position = static_cast<double>(first) + static_cast<double>(i / width);
        const auto pair = static_cast<double>(i % width % (width / 2));
        const double turn = std::pow(kRotaryBase, -2 * pair / static_cast<double>(width));
        out[i] = static_cast<float>(function(position * turn));
      }
      return tensor;
    }));
    return net_.add(Op::kUnsqueeze, {table, net_.integers({1})}, {}, name);
  }

  /// [batch, heads, tokens, head width].
  ValueId split_heads(ValueId x, std::int64_t heads, const std::string& name) {
    const Ints shape{batch_, tokens_, heads, sizes_.head_width()};
    return net_.transpose(net_.reshape(x, shape, name + ".split"), {0, 2, 1, 3},
                          name + ".transpose");
  }

  ValueId slice(ValueId x, std::int64_t first, std::int64_t end, std::string name) {
    return net_.add(Op::kSlice,
                    {x, net_.integers({first}), net_.integers({end}), net_.integers({3})}, {},
                    std::move(name));
  }

  /// x * cos + (-second half of x, first half of x) * sin.
  ValueId rotate(ValueId x, const std::string& name) {
    const std::int64_t width = sizes_.head_width();
    const ValueId low = slice(x, 0, width / 2, name + ".low");
    const ValueId high = slice(x, width / 2, width, name + ".high");
    const ValueId minus = net_.add(Op::kNeg, {high}, {}, name + ".neg");
    const ValueId turned =
        net_.add(Op::kConcat, {minus, low}, {{"axis", std::int64_t{3}}}, name + ".turned");
    const ValueId a = net_.add(Op::kMul, {x, cos_}, {}, name + ".cos");
    const ValueId b = net_.add(Op::kMul, {turned, sin_}, {}, name + ".sin");
    return net_.add(Op::kAdd, {a, b}, {}, name + ".rotated");
  }

  /// The cached keys or values, an input: [batch, kv heads, cached, head width].
  ValueId past(const std::string& name) {
    return net_.input("past." + name, graph::DataType::kFloat32,
                      {batch_, sizes_.kv_heads, cached_, sizes_.head_width()});
  }

  /// [batch, kv heads, query heads of a group * tokens, ...]: the query heads that share keys and
  /// values are rows of one product, so nothing has to be repeated for them.
  ValueId by_group(ValueId x, const std::string& name) {
    if (sizes_.heads == sizes_.kv_heads) return x;
    const std::int64_t rows = sizes_.heads / sizes_.kv_heads * tokens_;
    return net_.reshape(x, {batch_, sizes_.kv_heads, rows, net_.shape(x).back()}, name);
  }

  /// [batch, heads, tokens, ...].
  ValueId by_head(ValueId x, const std::string& name) {
    if (sizes_.heads == sizes_.kv_heads) return x;
    return net_.reshape(x, {batch_, sizes_.heads, tokens_, net_.shape(x).back()}, name);
  }

  /// The product of the queries with the keys `k`.
  ValueId scores_of(ValueId q, ValueId k, const std::string& name) {
    const ValueId columns = net_.transpose(k, {0, 1, 3, 2}, name + ".columns");
    return net_.add(Op::kMatMul, {q, columns}, {}, name);
  }

  /// Scores of the cached tokens, then of the new ones.
  ValueId scores(ValueId q, ValueId k, const std::string& name) {
    const ValueId fresh = scores_of(q, k, name + ".scores");
    if (cached_ == 0) return fresh;
    const ValueId cached = scores_of(q, past(name + ".key"), name + ".past_scores");
    return net_.add(Op::kConcat, {cached, fresh}, {{"axis", std::int64_t{3}}},
                    name + ".all_scores");
  }

  /// The sums of the values, weighted by `shares`, with all heads of a token in one row.
  ValueId context(ValueId shares, ValueId values, const std::string& name) {
    ValueId x = by_head(net_.add(Op::kMatMul, {shares, values}, {}, name), name + ".heads");
    x = net_.transpose(x, {0, 2, 1, 3}, name + ".transpose");
    return net_.reshape(x, {batch_, tokens_, sizes_.hidden}, name + ".merge");
  }

  /// Over the cached tokens and the new ones.
  ValueId contexts(ValueId shares, ValueId v, const std::string& name) {
    if (cached_ == 0) return context(shares, v, name + ".context");
    const ValueId of_past = slice(shares, 0, cached_, name + ".past_shares");
    const ValueId of_new = slice(shares, cached_, cached_ + tokens_, name + ".shares");
    const ValueId cached = context(of_past, past(name + ".value"), name + ".past_context");
    const ValueId fresh = context(of_new, v, name + ".context");
    return net_.add(Op::kAdd, {cached, fresh}, {}, name + ".context.add");
  }

  ValueId attention(ValueId x, const std::string& name) {
    const std::int64_t kv_width = sizes_.kv_heads * sizes_.head_width();
    const ValueId q =
        rotate(split_heads(linear(x, sizes_.hidden, name + ".q_proj"), sizes_.heads, name + ".q"),
               name + ".q");
    const ValueId k =
        rotate(split_heads(linear(x, kv_width, name + ".k_proj"), sizes_.kv_heads, name + ".k"),
               name + ".k");
    const ValueId v =
        split_heads(linear(x, kv_width, name + ".v_proj"), sizes_.kv_heads, name + ".v");
    const ValueId grouped = scores(by_group(q, name + ".q.group"), k, name);
    ValueId weights = by_head(grouped, name + ".scores.heads");
    const float scale = std::sqrt(static_cast<float>(sizes_.head_width()));
    weights = net_.add(Op::kDiv, {weights, net_.scalar(scale)}, {}, name + ".scale");
    if (mask_ != graph::kNoValue) {
      weights = net_.add(Op::kAdd, {weights, mask_}, {}, name + ".mask");
    }
    weights = net_.add(Op::kSoftmax, {weights}, {{"axis", std::int64_t{-1}}}, name + ".softmax");
    const ValueId shares = by_group(weights, name + ".softmax.group");
    return linear(contexts(shares, v, name), sizes_.hidden, name + ".o_proj");
  }

  /// down(silu(gate(x)) * up(x)), with silu(y) = y * sigmoid(y).
  ValueId feed_forward(ValueId x, const std::string& name) {
    const ValueId gate = linear(x, sizes_.inner, name + ".gate_proj");
    const ValueId sigmoid = net_.add(Op::kSigmoid, {gate}, {}, name + ".sigmoid");
    const ValueId silu = net_.add(Op::kMul, {gate, sigmoid}, {}, name + ".silu");
    const ValueId up = linear(x, sizes_.inner, name + ".up_proj");
    const ValueId product = net_.add(Op::kMul, {silu, up}, {}, name + ".product");
    return linear(product, sizes_.hidden, name + ".down_proj");
  }

  ValueId decoder(ValueId x, const std::string& name) {
    ValueId y = attention(rms_norm(x, name + ".input_norm"), name + ".attn");
    x = net_.add(Op::kAdd, {x, y}, {}, name + ".attn.add");
    y = feed_forward(rms_norm(x, name + ".post_norm"), name + ".mlp");
    return net_.add(Op::kAdd, {x, y}, {}, name + ".mlp.add");
  }

  const LlamaSizes& sizes_;
  Layers net_;
  std::int64_t batch_;
  std::int64_t tokens_;  // new ones
  std::int64_t cached_;  // before them
  ValueId cos_ = graph::kNoValue;
  ValueId sin_ = graph::kNoValue;
  ValueId mask_ = graph::kNoValue;
};

}  // namespace

graph::Graph build_llama(const LlamaSizes& sizes, const NetworkOptions& options) {
  return Llama(sizes, options).build();
}

// Sizes: Touvron et al., Llama 2, 2023, and the configurations of the released models.
graph::Graph build_llama_7b(const NetworkOptions& options) {
  return build_llama({"llama-7b", 32000, 4096, 32, 32, 32, 11008}, options);
}

graph::Graph build_llama_13b(const NetworkOptions& options) {
  return build_llama({"llama-13b", 32000, 5120, 40, 40, 40, 13824}, options);
}

graph::Graph build_llama_70b(const NetworkOptions& options) {
  return build_llama({"llama-70b", 32000, 8192, 80, 64, 8, 28672}, options);
}

}  // namespace weft::networks
