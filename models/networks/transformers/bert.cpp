#include <fmt/format.h>

#include "models/networks/builders.h"
#include "models/networks/layers.h"
#include "models/networks/transformers/attention.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kBertVocabulary = 30522;
constexpr std::int64_t kBertPositions = 512;
constexpr std::int64_t kBertTypes = 2;
constexpr std::int64_t kBertHidden = 768;
constexpr std::int64_t kBertHeads = 12;
constexpr std::int64_t kBertFeedForward = 3072;
constexpr int kBertBlocks = 12;
constexpr float kBertEpsilon = 1e-12F;

/// Adds the embeddings of words, token types and positions, then normalizes the sum.
ValueId embed_words(Layers& net, ValueId tokens, ValueId types) {
  const std::string name = "embeddings";
  const auto table = [&](const char* which, std::int64_t rows) {
    return net.parameter(name + which + ".weight", {rows, kBertHidden}, kEmbedding);
  };
  const ValueId words = embedding(net, table(".word", kBertVocabulary), tokens, name + ".word");
  const ValueId kinds = embedding(net, table(".type", kBertTypes), types, name + ".type");
  const ValueId places = embedding(net, table(".position", kBertPositions),
                                   positions(net, net.extent(tokens, 1)), name + ".position");
  const ValueId sum = net.add(Op::kAdd, {words, kinds}, {}, name + ".add_type");
  return net.layer_norm(net.add(Op::kAdd, {sum, places}, {}, name + ".add_position"), kBertEpsilon,
                        name + ".norm");
}

/// Attention and feed-forward layers. Each result is added to the layer's input, then normalized.
ValueId bert_encoder(Layers& net, ValueId x, const std::string& name) {
  const std::string self = name + ".attention";
  ValueId y = attention(net, project(net, x, self), kBertHeads, graph::kNoValue, self);
  y = net.dense(y, kBertHidden, self + ".output");
  x = net.layer_norm(net.add(Op::kAdd, {y, x}, {}, self + ".add"), kBertEpsilon, self + ".norm");
  y = gelu(net, net.dense(x, kBertFeedForward, name + ".intermediate"), name + ".gelu");
  y = net.dense(y, kBertHidden, name + ".output");
  return net.layer_norm(net.add(Op::kAdd, {y, x}, {}, name + ".add"), kBertEpsilon, name + ".norm");
}

}  // namespace

/// The encoder and its pooler. Sequences have no padding, so there is no attention mask.
graph::Graph build_bert_base(const NetworkOptions& options) {
  Layers net("bert-base", options.seed);
  const Shape shape{options.batch, options.sequence.value()};
  const ValueId tokens = net.input("input_ids", graph::DataType::kInt64, shape);
  const ValueId types = net.input("token_type_ids", graph::DataType::kInt64, shape);
  ValueId x = embed_words(net, tokens, types);
  for (int i = 0; i < kBertBlocks; ++i) x = bert_encoder(net, x, fmt::format("encoder.{}", i));
  const ValueId first = net.take(x, 0, 1, "pooler.first");
  const ValueId pooled = net.gemm(first, kBertHidden, "pooler", Gain::kLinear);
  net.output(x, "last_hidden_state");
  return net.finish(net.add(Op::kTanh, {pooled}, {}, "pooler.tanh"), "pooler_output");
}

}  // namespace weft::networks
