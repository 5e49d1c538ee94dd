// LSTM, GRU and RNN compared with their equations, one scalar at a time in binary64, and with the
// published outputs of the specification's examples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "naive_recurrent.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240617;

/// Both sides are binary64: a few roundings per step, of numbers of at most a few tens.
void expect_near(const Vector& got, const Vector& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << i;
  }
}

/// Exchanges the first two dimensions of x.
Tensor exchanged(const Tensor& x) {
  Shape shape = x.shape();
  std::swap(shape[0], shape[1]);
  Tensor y(x.type(), shape);
  for (const Ints& at : coordinates(shape)) {
    Ints from = at;
    std::swap(from[0], from[1]);
    y.mutable_data<double>()[offset(shape, at)] = x.data<double>()[offset(x.shape(), from)];
  }
  return y;
}

std::vector<OptionalTensor> inputs_of(const LayerCase& layer) {
  std::vector<OptionalTensor> inputs{layer.x,    layer.w,       layer.r,
                                     layer.bias, layer.lengths, layer.initial_h};
  if (layer.op == Op::kLstm) {
    inputs.push_back(layer.initial_c);
    inputs.push_back(layer.peephole);
  }
  return inputs;
}

void expect_layer(const LayerCase& layer) {
  const Expected expected = naive_layer(layer);
  const std::size_t count = layer.op == Op::kLstm ? 3 : 2;
  Attributes attributes = attributes_of(layer);
  const std::vector<Tensor> plain = run(layer.op, attributes, inputs_of(layer), count);
  expect_near(values(plain[0]), expected.y);
  expect_near(values(plain[1]), expected.h);
  if (count == 3) expect_near(values(plain[2]), expected.c);

  // Repeats this with the batch first: outputs are [batch, steps, directions, hidden].
  attributes.set("layout", std::int64_t{1});
  std::vector<OptionalTensor> inputs = inputs_of(layer);
  for (const std::size_t i : {0U, 5U, 6U}) {
    if (i < inputs.size() && inputs[i]) inputs[i] = exchanged(*inputs[i]);
  }
  const std::vector<Tensor> turned = run(layer.op, attributes, inputs, count);
  for (std::size_t i = 1; i < count; ++i) EXPECT_EQ(exchanged(turned[i]), plain[i]);
  const Shape folded{layer.batch, layer.steps * layer.directions(), layer.hidden};
  EXPECT_EQ(exchanged(turned[0].reshaped(folded)).bytes().size(), plain[0].bytes().size());
  EXPECT_EQ(exchanged(turned[0].reshaped(folded)).reshaped(plain[0].shape()), plain[0]);
}

class RecurrentTest : public testing::TestWithParam<Op> {};

TEST_P(RecurrentTest, FollowsItsEquations) {
  Generator generator(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(testing::Message() << "layer " << i << " of seed " << kSeed);
    const LayerCase layer = random_layer(generator, GetParam());
    ASSERT_NO_FATAL_FAILURE(expect_layer(layer));
    ++hits[layer.direction];
    for (const Named& function : layer.chosen) ++hits[function.name];
    if (layer.clip > 0) ++hits["clip"];
    if (layer.bias) ++hits["bias"];
    if (layer.lengths) ++hits["lengths"];
    if (layer.initial_h) ++hits["initial state"];
    if (layer.peephole) ++hits["peephole"];
  }
  for (const char* kind : {"forward", "reverse", "bidirectional", "clip", "bias", "lengths",
                           "initial state", "Softsign", "Softplus", "LeakyRelu", "Elu",
                           "ThresholdedRelu", "Affine", "ScaledTanh", "Relu"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
  EXPECT_EQ(hits["peephole"] > 0, GetParam() == Op::kLstm);
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentTest, testing::Values(Op::kLstm, Op::kGru, Op::kRnn),
                         [](const auto& cell) { return std::string(to_string(cell.param)); });

Tensor filled(const Shape& shape, float value) {
  return Tensor::of(
      shape, std::vector<float>(static_cast<std::size_t>(graph::element_count(shape)), value));
}

void expect_published(const Tensor& got, const std::vector<float>& published,
                      std::int64_t repeats) {
  ASSERT_EQ(got.size(), std::ssize(published) * repeats);
  for (std::size_t i = 0; i < got.data<float>().size(); ++i) {
    const float value = published[i / static_cast<std::size_t>(repeats)];
    EXPECT_NEAR(got.data<float>()[i], value, 1e-6F);
  }
}

// The specification's examples have all weights 0.1 and three sequences of one step.
TEST(RecurrentExampleTest, GivesThePublishedOutputs) {
  const Tensor x = Tensor::of<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  const auto final_state = [&](Op op, std::int64_t gates, std::int64_t hidden) {
    return run(op, {{"hidden_size", hidden}},
               {x, filled({1, gates * hidden, 2}, 0.1F), filled({1, gates * hidden, hidden}, 0.1F)},
               2)[1];
  };
  expect_published(final_state(Op::kLstm, 4, 3), {0.0952412039F, 0.256064475F, 0.40323776F}, 3);
  expect_published(final_state(Op::kGru, 3, 5), {0.123970263F, 0.200536624F, 0.199916542F}, 5);
  expect_published(final_state(Op::kRnn, 1, 4), {0.291312635F, 0.604367793F, 0.800499022F}, 4);
}

TEST(RecurrentExampleTest, GivesThePublishedOutputsWithPeepholes) {
  const Tensor x = Tensor::of<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor y = run(Op::kLstm, {{"hidden_size", std::int64_t{3}}},
                       {x, filled({1, 12, 4}, 0.1F), filled({1, 12, 3}, 0.1F), filled({1, 24}, 0),
                        Tensor::vector<std::int32_t>({1, 1}), filled({1, 2, 3}, 0),
                        filled({1, 2, 3}, 0), filled({1, 9}, 0.1F)},
                       2)[1];
  expect_published(y, {0.375069112F, 0.680130899F}, 3);
}

// Coupled, the forget gate is 1 - input gate. The input gate is about 1, so the old state vanishes.
TEST(LstmTest, CouplesTheForgetGateOnRequest) {
  const Tensor x = Tensor::of<double>({1, 1, 1}, {1});
  const Tensor w = Tensor::of<double>({1, 4, 1}, {100, 100, 100, 0.5});
  const Tensor r = Tensor::of<double>({1, 4, 1}, {0, 0, 0, 0});
  const Tensor c = Tensor::of<double>({1, 1, 1}, {3});
  const std::vector<OptionalTensor> inputs{x, w, r, {}, {}, {}, c};
  const Tensor apart = run(Op::kLstm, {}, inputs, 3)[2];
  const Tensor coupled = run(Op::kLstm, {{"input_forget", std::int64_t{1}}}, inputs, 3)[2];
  EXPECT_NEAR(values(apart)[0], 3 + std::tanh(0.5), 1e-12);
  EXPECT_NEAR(values(coupled)[0], std::tanh(0.5), 1e-12);
}

// HardSigmoid uses its defaults if no parameters are given. Given parameters are consumed in order
// by the functions that take some.
TEST(RnnTest, HandsActivationParametersToThoseThatTakeThem) {
  const Tensor x = Tensor::of<double>({1, 1, 1}, {0.5});
  const Tensor one = Tensor::of<double>({1, 1, 1}, {1});
  const Tensor zero = Tensor::of<double>({1, 1, 1}, {0});
  const std::vector<std::string> hard{"HardSigmoid"};
  EXPECT_NEAR(values(run(Op::kRnn, {{"activations", hard}}, {x, one, zero})[0])[0],
              single(0.2F) * 0.5 + 0.5, 1e-15);
  const Tensor both = Tensor::of<double>({2, 1, 1}, {1, -1});
  const Tensor none = Tensor::of<double>({2, 1, 1}, {0, 0});
  const Attributes attributes{{"direction", std::string("bidirectional")},
                              {"activations", std::vector<std::string>{"Relu", "LeakyRelu"}},
                              {"activation_alpha", std::vector<float>{0.25F}}};
  EXPECT_EQ(values(run(Op::kRnn, attributes, {x, both, none})[0]), (Vector{0.5, -0.125}));
}

TEST(LstmTest, OfNoStepsKeepsItsInitialState) {
  const Tensor x(DataType::kFloat32, {0, 2, 1});
  const Tensor weights = filled({1, 4, 1}, 1);
  const Tensor h = Tensor::of<float>({1, 2, 1}, {3, 4});
  const Tensor c = Tensor::of<float>({1, 2, 1}, {5, 6});
  const auto outputs = run(Op::kLstm, {}, {x, weights, weights, {}, {}, h, c}, 3);
  EXPECT_EQ(outputs[0].size(), 0);
  EXPECT_EQ(outputs[1], h);
  EXPECT_EQ(outputs[2], c);
}

TEST(RnnTest, RefusesLengthsBeyondTheSteps) {
  const Tensor x = Tensor::of<double>({1, 1, 1}, {0.5});
  for (const std::int32_t length : {2, -1}) {
    const Tensor lengths = Tensor::vector<std::int32_t>({length});
    EXPECT_THROW(run(Op::kRnn, {}, {x, x, x, std::nullopt, lengths}), InputError);
  }
}

}  // namespace
}  // namespace weft::reference
