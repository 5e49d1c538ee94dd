#include <fmt/format.h>

#include "models/networks/attention.h"
#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kPositions = 512;
constexpr std::int64_t kTypes = 2;
constexpr std::int64_t kHidden = 768;
constexpr std::int64_t kHeads = 12;
constexpr std::int64_t kFeedForward = 3072;
constexpr int kBlocks = 12;
constexpr float kEpsilon = 1e-12F;

/// Words, token types and positions, added and normalised.
ValueId embed(Layers& net, ValueId tokens, ValueId types) {
  const std::string name = "embeddings";
  const auto table = [&](const char* which, std::int64_t rows) {
    return net.parameter(name + which + ".weight", {rows, kHidden}, kEmbedding);
  };
  const ValueId words = embedding(net, table(".word", kVocabulary), tokens, name + ".word");
  const ValueId kinds = embedding(net, table(".type", kTypes), types, name + ".type");
  const ValueId places = embedding(net, table(".position", kPositions),
                                   positions(net, net.extent(tokens, 1)), name + ".position");
  const ValueId sum = net.add(Op::kAdd, {words, kinds}, {}, name + ".add_type");
  return net.layer_norm(net.add(Op::kAdd, {sum, places}, {}, name + ".add_position"), kEpsilon,
                        name + ".norm");
}

/// Attention and feed-forward layers, each added to its input and normalised after that.
ValueId encoder(Layers& net, ValueId x, const std::string& name) {
  const std::string self = name + ".attention";
  ValueId y = attention(net, project(net, x, self), kHeads, graph::kNoValue, self);
  y = net.dense(y, kHidden, self + ".output");
  x = net.layer_norm(net.add(Op::kAdd, {y, x}, {}, self + ".add"), kEpsilon, self + ".norm");
  y = gelu(net, net.dense(x, kFeedForward, name + ".intermediate"), name + ".gelu");
  y = net.dense(y, kHidden, name + ".output");
  return net.layer_norm(net.add(Op::kAdd, {y, x}, {}, name + ".add"), kEpsilon, name + ".norm");
}

}  // namespace

/// The encoder and its pooler, for whole sequences: no padding, so no attention mask.
graph::Graph build_bert_base(const NetworkOptions& options) {
  Layers net("bert-base", options.seed);
  const Shape shape{options.batch, options.sequence.value()};
  const ValueId tokens = net.input("input_ids", graph::DataType::kInt64, shape);
  const ValueId types = net.input("token_type_ids", graph::DataType::kInt64, shape);
  ValueId x = embed(net, tokens, types);
  for (int i = 0; i < kBlocks; ++i) x = encoder(net, x, fmt::format("encoder.{}", i));
  const ValueId first = net.take(x, 0, 1, "pooler.first");
  const ValueId pooled = net.gemm(first, kHidden, "pooler", Gain::kLinear);
  net.output(x, "last_hidden_state");
  return net.finish(net.add(Op::kTanh, {pooled}, {}, "pooler.tanh"), "pooler_output");
}

}  // namespace weft::networks
