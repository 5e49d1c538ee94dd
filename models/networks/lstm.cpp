#include <fmt/format.h>

#include "models/networks/builders.h"
#include "models/networks/layers.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kLstmVocabulary = 10000;
constexpr std::int64_t kLstmHidden = 650;
constexpr int kLstmLayers = 2;

/// Uniform over +-1/sqrt(hidden), as frameworks draw recurrent weights.
constexpr Uniform kRecurrent{0, 0.039F};

/// One LSTM over x [sequence, batch, features], from zero states. Returns the outputs of all steps.
ValueId recurrent(Layers& net, ValueId x, const std::string& name) {
  const std::int64_t features = net.extent(x, 2);
  const ValueId w = net.parameter(name + ".w", {1, 4 * kLstmHidden, features}, kRecurrent);
  const ValueId r = net.parameter(name + ".r", {1, 4 * kLstmHidden, kLstmHidden}, kRecurrent);
  const ValueId b = net.parameter(name + ".b", {1, 8 * kLstmHidden}, kRecurrent);
  const ValueId y = net.add(Op::kLstm, {x, w, r, b}, {{"hidden_size", kLstmHidden}}, name);
  return net.add(Op::kSqueeze, {y, net.integers({1})}, {}, name + ".squeeze");
}

}  // namespace

/// The medium model of the paper.
graph::Graph build_lstm(const NetworkOptions& options) {
  Layers net("lstm", options.seed);
  const ValueId tokens =
      net.input("tokens", graph::DataType::kInt64, {options.sequence.value(), options.batch});
  const ValueId table =
      net.parameter("embedding.weight", {kLstmVocabulary, kLstmHidden}, {0, 1.0F});
  ValueId x = net.add(Op::kGather, {table, tokens}, {{"axis", std::int64_t{0}}}, "embedding");
  for (int i = 0; i < kLstmLayers; ++i) x = recurrent(net, x, fmt::format("lstm{}", i + 1));
  return net.finish(net.dense(x, kLstmVocabulary, "decoder"), "logits");
}

}  // namespace weft::networks
