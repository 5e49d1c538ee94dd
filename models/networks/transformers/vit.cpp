#include <fmt/format.h>

#include "models/networks/builders.h"
#include "models/networks/layers.h"
#include "models/networks/transformers/attention.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kPatch = 16;
constexpr std::int64_t kPatches = (224 / kPatch) * (224 / kPatch);
constexpr std::int64_t kVitHidden = 384;
constexpr std::int64_t kVitHeads = 6;
constexpr int kVitBlocks = 12;
constexpr float kVitEpsilon = 1e-6F;

/// Makes one token per patch of 16 x 16 pixels, puts the class token first, and adds positions.
ValueId embed_patches(Layers& net, ValueId image) {
  const std::int64_t batch = net.extent(image, 0);
  ValueId x = net.conv(
      image, {.channels = kVitHidden, .kernel = kPatch, .stride = kPatch, .gain = Gain::kLinear},
      "patch_embed");
  x = net.reshape(x, {batch, kVitHidden, kPatches}, "patch_embed.flatten");
  x = net.transpose(x, {0, 2, 1}, "patch_embed.transpose");
  const ValueId token = net.parameter("cls_token", {1, 1, kVitHidden}, kEmbedding);
  const ValueId tokens =
      net.add(Op::kExpand, {token, net.integers({batch, 1, kVitHidden})}, {}, "cls_token.expand");
  x = net.add(Op::kConcat, {tokens, x}, {{"axis", std::int64_t{1}}}, "tokens");
  const ValueId places = net.parameter("pos_embed", {1, kPatches + 1, kVitHidden}, kEmbedding);
  return net.add(Op::kAdd, {x, places}, {}, "pos_embed.add");
}

/// Attention and feed-forward layers. Each reads the normalized x, and its result is added to x.
ValueId vit_encoder(Layers& net, ValueId x, const std::string& name) {
  const std::string self = name + ".attn";
  ValueId y = net.layer_norm(x, kVitEpsilon, name + ".norm1");
  y = attention(net, project(net, y, self), kVitHeads, graph::kNoValue, self);
  x = net.add(Op::kAdd, {x, net.dense(y, kVitHidden, self + ".proj")}, {}, self + ".add");
  y = net.dense(net.layer_norm(x, kVitEpsilon, name + ".norm2"), 4 * kVitHidden, name + ".mlp.fc1");
  y = net.dense(gelu(net, y, name + ".mlp.gelu"), kVitHidden, name + ".mlp.fc2");
  return net.add(Op::kAdd, {x, y}, {}, name + ".mlp.add");
}

}  // namespace

graph::Graph build_vit_s(const NetworkOptions& options) {
  Layers net("vit-s", options.seed);
  ValueId x = embed_patches(
      net, net.input("image", graph::DataType::kFloat32, {options.batch, 3, 224, 224}));
  for (int i = 0; i < kVitBlocks; ++i) x = vit_encoder(net, x, fmt::format("blocks.{}", i));
  x = net.take(net.layer_norm(x, kVitEpsilon, "norm"), 0, 1, "class");
  return net.finish(net.gemm(x, 1000, "head", Gain::kLinear), "logits");
}

}  // namespace weft::networks
