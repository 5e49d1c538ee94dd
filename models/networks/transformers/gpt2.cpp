#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "models/networks/builders.h"
#include "models/networks/layers.h"
#include "models/networks/transformers/attention.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kGpt2Vocabulary = 50257;
constexpr std::int64_t kGpt2Positions = 1024;
constexpr std::int64_t kGpt2Hidden = 768;
constexpr std::int64_t kGpt2Heads = 12;
constexpr int kGpt2Blocks = 12;
constexpr float kGpt2Epsilon = 1e-5F;

/// Reshapes x [batch, sequence, hidden] to [batch * sequence, hidden].
ValueId as_rows(Layers& net, ValueId x, const std::string& name) {
  const Shape shape = net.shape(x);
  return net.reshape(x, {shape[0] * shape[1], shape[2]}, name + ".rows");
}

/// GPT-2's "1D convolution": a fully connected layer on the matrix of all tokens. Its weights are
/// stored as [inputs, outputs].
ValueId conv1d(Layers& net, ValueId x, std::int64_t outputs, const std::string& name) {
  const Shape shape = net.shape(x);
  const ValueId weight =
      net.parameter(name + ".weight", {shape[2], outputs}, weights_for(shape[2], Gain::kLinear));
  const ValueId bias = net.parameter(name + ".bias", {outputs}, kBias);
  const ValueId product = net.add(Op::kGemm, {as_rows(net, x, name), weight, bias}, {}, name);
  return net.reshape(product, {shape[0], shape[1], outputs}, name + ".tokens");
}

/// The original code's approximation of GELU:
/// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
ValueId tanh_gelu(Layers& net, ValueId x, const std::string& name) {
  const auto scaled = [&](ValueId value, float factor, const char* step) {
    return net.add(Op::kMul, {value, net.scalar(factor)}, {}, name + step);
  };
  const ValueId half = scaled(x, 0.5F, ".half");
  const ValueId cube = net.add(Op::kPow, {x, net.scalar(3)}, {}, name + ".pow");
  const ValueId sum = net.add(Op::kAdd, {x, scaled(cube, 0.044715F, ".cubic")}, {}, name + ".add");
  const float factor = std::sqrt(2.0F * std::numbers::inv_pi_v<float>);
  const ValueId tanh = net.add(Op::kTanh, {scaled(sum, factor, ".scale")}, {}, name + ".tanh");
  const ValueId shifted = net.add(Op::kAdd, {tanh, net.scalar(1)}, {}, name + ".one");
  return net.add(Op::kMul, {half, shifted}, {}, name + ".mul");
}

/// Attention and feed-forward layers. Each reads the normalized x, and its result is added to x.
ValueId decoder(Layers& net, ValueId x, ValueId mask, const std::string& name) {
  ValueId y = net.layer_norm(x, kGpt2Epsilon, name + ".ln_1");
  const auto parts = net.split(conv1d(net, y, 3 * kGpt2Hidden, name + ".attn.c_attn"), 2,
                               Ints(3, kGpt2Hidden), name + ".attn.split");
  y = attention(net, {parts[0], parts[1], parts[2]}, kGpt2Heads, mask, name + ".attn");
  y = conv1d(net, y, kGpt2Hidden, name + ".attn.c_proj");
  x = net.add(Op::kAdd, {y, x}, {}, name + ".attn.add");
  y = conv1d(net, net.layer_norm(x, kGpt2Epsilon, name + ".ln_2"), 4 * kGpt2Hidden,
             name + ".mlp.c_fc");
  y = conv1d(net, tanh_gelu(net, y, name + ".mlp.gelu"), kGpt2Hidden, name + ".mlp.c_proj");
  return net.add(Op::kAdd, {x, y}, {}, name + ".mlp.add");
}

}  // namespace

/// The smallest of the four models. The output projection reuses the word embedding; a Gemm with
/// transB reads it as it is stored.
graph::Graph build_gpt2(const NetworkOptions& options) {
  Layers net("gpt2", options.seed);
  const Shape shape{options.batch, options.sequence.value()};
  const ValueId tokens = net.input("input_ids", graph::DataType::kInt64, shape);
  const ValueId words = net.parameter("wte.weight", {kGpt2Vocabulary, kGpt2Hidden}, kEmbedding);
  const ValueId places = net.parameter("wpe.weight", {kGpt2Positions, kGpt2Hidden}, kEmbedding);
  ValueId x = net.add(Op::kAdd,
                      {embedding(net, words, tokens, "wte"),
                       embedding(net, places, positions(net, shape[1]), "wpe")},
                      {}, "embeddings.add");
  const ValueId mask = causal_mask(net, shape[1]);
  for (int i = 0; i < kGpt2Blocks; ++i) x = decoder(net, x, mask, fmt::format("h.{}", i));
  x = net.layer_norm(x, kGpt2Epsilon, "ln_f");
  const ValueId logits = net.add(Op::kGemm, {as_rows(net, x, "lm_head"), words},
                                 {{"transB", std::int64_t{1}}}, "lm_head");
  return net.finish(net.reshape(logits, {shape[0], shape[1], kGpt2Vocabulary}, "lm_head.tokens"),
                    "logits");
}

}  // namespace weft::networks
