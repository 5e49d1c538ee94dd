#include "tests/autodiff/networks.h"

#include <utility>

#include "base/error.h"
#include "compiler/passes/simplify/decompose_recurrent.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

}  // namespace

ValueId NetworkBuilder::weights(const std::string& name, const Shape& shape, float spread,
                                float center) {
  Tensor tensor(DataType::kFloat32, shape);
  for (float& value : tensor.mutable_data<float>()) {
    const auto unit = static_cast<float>(random_() >> 40) * 0x1p-24F;
    value = center + spread * (2 * unit - 1);
  }
  return builder_.constant(tensor, name);
}

ValueId NetworkBuilder::dense(ValueId x, std::int64_t width, const std::string& name) {
  const std::int64_t depth = builder_.type(x).shape.back();
  return add(Op::kAdd, {add(Op::kMatMul, {x, weights(name + ".w", {depth, width})}),
                        weights(name + ".b", {width})});
}

ValueId NetworkBuilder::conv(ValueId x, std::int64_t channels, std::int64_t kernel,
                             std::int64_t stride, const std::string& name) {
  const std::int64_t depth = builder_.type(x).shape[1];
  const std::int64_t pad = kernel / 2;
  return add(Op::kConv, {x, weights(name + ".w", {channels, depth, kernel, kernel})},
             {{"strides", Ints{stride, stride}}, {"pads", Ints{pad, pad, pad, pad}}});
}

ValueId NetworkBuilder::batch_norm(ValueId x, const std::string& name) {
  const Shape channels = {builder_.type(x).shape[1]};
  return add(Op::kBatchNormalization,
             {x, weights(name + ".scale", channels, 0.25F, 1), weights(name + ".bias", channels),
              weights(name + ".mean", channels), weights(name + ".variance", channels, 0.5F, 1)},
             {{"epsilon", 0.0625F}});
}

ValueId NetworkBuilder::layer_norm(ValueId x, const std::string& name) {
  const Shape width = {builder_.type(x).shape.back()};
  return add(Op::kLayerNormalization,
             {x, weights(name + ".scale", width, 0.25F, 1), weights(name + ".bias", width)},
             {{"epsilon", 0.0625F}});
}

Graph NetworkBuilder::finish(ValueId logits) {
  builder_.output(logits, "logits");
  return builder_.finish();
}

Graph perceptron(Random& random, std::int64_t batch) {
  NetworkBuilder net("perceptron", random);
  const ValueId x = net.input({batch, 6});
  const ValueId first = net.add(Op::kGemm, {x, net.weights("w1", {5, 6}), net.weights("b1", {5})},
                                {{"transB", std::int64_t{1}}});
  const ValueId hidden = net.add(Op::kRelu, {first});
  return net.finish(
      net.add(Op::kGemm, {hidden, net.weights("w2", {5, 3}), net.weights("b2", {3})}));
}

Graph small_cnn(Random& random) {
  NetworkBuilder net("cnn", random);
  ValueId x = net.input({2, 1, 9, 9});
  x = net.add(Op::kRelu, {net.conv(x, 4, 3, 1, "conv1")});
  x = net.add(Op::kMaxPool, {x}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}});
  x = net.add(Op::kConv, {x, net.weights("conv2.w", {4, 2, 2, 2}), net.weights("conv2.b", {4})},
              {{"group", std::int64_t{2}}});
  x = net.add(Op::kTanh, {x});
  x = net.add(Op::kAveragePool, {x}, {{"kernel_shape", Ints{2, 2}}});
  return net.finish(net.dense(net.add(Op::kFlatten, {x}), 3, "fc"));
}

Graph residual_block(Random& random) {
  NetworkBuilder net("residual", random);
  const ValueId x = net.input({3, 2, 6, 6});
  ValueId y = net.add(Op::kRelu, {net.batch_norm(net.conv(x, 4, 3, 2, "conv1"), "norm1")});
  y = net.batch_norm(net.conv(y, 4, 3, 1, "conv2"), "norm2");
  const ValueId shortcut = net.batch_norm(net.conv(x, 4, 1, 2, "conv3"), "norm3");
  y = net.add(Op::kRelu, {net.add(Op::kAdd, {y, shortcut})});
  const ValueId pooled = net.add(Op::kFlatten, {net.add(Op::kGlobalAveragePool, {y})});
  return net.finish(net.dense(pooled, 3, "fc"));
}

namespace {

constexpr std::int64_t kTokens = 3;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kWidth = 4;

ValueId heads_of(NetworkBuilder& net, ValueId x, const Ints& perm) {
  const ValueId apart = net.add(Op::kReshape, {x, net.list({0, kTokens, kHeads, kWidth / kHeads})});
  return net.add(Op::kTranspose, {apart}, {{"perm", perm}});
}

ValueId attention(NetworkBuilder& net, ValueId x) {
  const ValueId q = heads_of(net, net.dense(x, kWidth, "q"), {0, 2, 1, 3});
  const ValueId k = heads_of(net, net.dense(x, kWidth, "k"), {0, 2, 3, 1});
  const ValueId v = heads_of(net, net.dense(x, kWidth, "v"), {0, 2, 1, 3});
  ValueId scores = net.add(Op::kDiv, {net.add(Op::kMatMul, {q, k}), net.number(1.5F)});
  const ValueId mask = net.builder().constant(
      Tensor::of<float>({kTokens, kTokens}, {0, -9, -9, 0, 0, -9, 0, 0, 0}), "mask");
  scores = net.add(Op::kSoftmax, {net.add(Op::kAdd, {scores, mask})});
  const ValueId mixed =
      net.add(Op::kTranspose, {net.add(Op::kMatMul, {scores, v})}, {{"perm", Ints{0, 2, 1, 3}}});
  return net.dense(net.add(Op::kReshape, {mixed, net.list({0, kTokens, kWidth})}), kWidth, "o");
}

ValueId gelu(NetworkBuilder& net, ValueId x) {
  const ValueId erf = net.add(Op::kErf, {net.add(Op::kDiv, {x, net.number(1.4142135F)})});
  const ValueId gate = net.add(Op::kAdd, {erf, net.number(1)});
  return net.add(Op::kMul, {net.add(Op::kMul, {x, gate}), net.number(0.5F)});
}

}  // namespace

Graph attention_block(Random& random) {
  NetworkBuilder net("attention", random);
  const ValueId tokens = net.builder().input("tokens", {DataType::kInt64, {2, kTokens}});
  ValueId x = net.add(Op::kGather, {net.weights("embedding", {5, kWidth}, 1), tokens});
  x = net.add(Op::kAdd, {x, net.weights("position", {kTokens, kWidth})});
  x = net.add(Op::kAdd, {x, attention(net, net.layer_norm(x, "norm1"))});
  const ValueId inner = gelu(net, net.dense(net.layer_norm(x, "norm2"), 6, "up"));
  x = net.add(Op::kAdd, {x, net.dense(inner, kWidth, "down")});
  const ValueId mean =
      net.add(Op::kReduceMean, {x}, {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}});
  return net.finish(net.dense(mean, 3, "head"));
}

Graph unrolled_lstm(Random& random) {
  NetworkBuilder net("lstm", random);
  const ValueId x = net.input({3, 2, 4});
  const std::vector<ValueId> results = net.builder().add(
      Op::kLstm,
      {x, net.weights("w", {1, 12, 4}), net.weights("r", {1, 12, 3}), net.weights("b", {1, 24})},
      {{"hidden_size", std::int64_t{3}}}, "lstm", {"", "last"});
  const ValueId last = net.add(Op::kSqueeze, {results[1], net.list({0})});
  return passes::decompose_recurrent(net.finish(net.dense(last, 3, "fc")));
}

NamedTensors initial_inputs(const TrainingGraph& training) {
  NamedTensors inputs;
  for (const Learned& each : training.parameters) {
    inputs.emplace(each.name, each.initial.tensor());
  }
  for (const Statistic& each : training.statistics) {
    inputs.emplace(each.name, each.initial.tensor());
  }
  return inputs;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace weft::autodiff::testing
