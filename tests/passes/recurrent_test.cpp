// Compares decompose_recurrent with LSTM, GRU and RNN of the CPU reference. Both compute in float32
// in different orders. Sigmoid and tanh do not amplify errors, so 20 steps stay within 1e-5.
#include <gtest/gtest.h>

#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

constexpr std::int64_t kSteps = 5;
constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kInputs = 3;
constexpr std::int64_t kHidden = 4;

struct Recurrent {
  Op op = Op::kLstm;
  std::string direction = "forward";
  bool bias = false;
  bool lengths = false;
  bool states = false;
  bool peepholes = false;
  std::int64_t before_reset = 0;
  std::vector<std::string> activations = {};
  std::int64_t layout = 0;
};

std::string name_of(const Recurrent& c) {
  std::string name = std::string(graph::to_string(c.op)) + "_" + c.direction;
  for (const auto& [is_set, word] : {std::pair{c.bias, "bias"},
                                     {c.lengths, "lengths"},
                                     {c.states, "states"},
                                     {c.peepholes, "peepholes"},
                                     {c.before_reset != 0, "linear"},
                                     {!c.activations.empty(), "activations"},
                                     {c.layout != 0, "batch_first"}}) {
    if (is_set) name += std::string("_") + word;
  }
  return name;
}

class RecurrentBuilder {
 public:
  explicit RecurrentBuilder(Recurrent c) : c_(std::move(c)) {}

  Graph make(Attributes extra = {}) {
    const std::vector<ValueId> all = inputs();
    Attributes attributes = std::move(extra);
    attributes.set("direction", c_.direction);
    attributes.set("hidden_size", kHidden);
    if (c_.before_reset != 0) attributes.set("linear_before_reset", c_.before_reset);
    if (!c_.activations.empty()) attributes.set("activations", c_.activations);
    if (c_.layout != 0) attributes.set("layout", c_.layout);
    std::vector<std::string> names = {"Y", "Y_h"};
    if (c_.op == Op::kLstm) names.push_back("Y_c");
    const auto outputs = builder_.add(c_.op, all, attributes, "cell", names);
    for (std::size_t i = 0; i < names.size(); ++i) builder_.output(outputs[i], names[i]);
    return builder_.finish();
  }

  Random random{5};

 private:
  std::vector<ValueId> inputs() {
    const std::int64_t d = c_.direction == "bidirectional" ? 2 : 1;
    const std::int64_t gates = c_.op == Op::kLstm ? 4 : c_.op == Op::kGru ? 3 : 1;
    std::vector<ValueId> all(c_.op == Op::kLstm ? 8 : 6, kNone);
    all[0] = input(builder_, in_layout({kSteps, kBatch, kInputs}));
    all[1] = weights({d, gates * kHidden, kInputs});
    all[2] = weights({d, gates * kHidden, kHidden});
    if (c_.bias) all[3] = weights({d, 2 * gates * kHidden});
    if (c_.lengths) {
      all[4] = builder_.constant(Tensor::vector(std::vector<std::int32_t>(kBatch, kSteps)));
    }
    const Shape state = in_layout({d, kBatch, kHidden});
    if (c_.states) all[5] = input(builder_, state, "h");
    if (c_.states && c_.op == Op::kLstm) all[6] = input(builder_, state, "c");
    if (c_.peepholes) all[7] = weights({d, 3 * kHidden});
    return all;
  }
  Shape in_layout(Shape shape) const {
    if (c_.layout == 1) std::swap(shape[0], shape[1]);
    return shape;
  }
  ValueId weights(Shape shape) {
    return builder_.constant(random_floats(random, std::move(shape)));
  }

  Recurrent c_;
  Builder builder_{"net"};
};

void expect_all_close(const Graph& before, const Graph& after, Random& random) {
  const NamedTensors inputs = random_inputs(before, random);
  const NamedTensors expected = reference::run_graph(before, inputs);
  const NamedTensors found = reference::run_graph(after, inputs);
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(tensor.shape(), found.at(name).shape());
    EXPECT_LE(largest_difference(tensor, found.at(name)), 1e-5) << name;
  }
}

class DecomposeRecurrentTest : public ::testing::TestWithParam<Recurrent> {};

TEST_P(DecomposeRecurrentTest, KeepsTheValues) {
  RecurrentBuilder builder(GetParam());
  const Graph before = builder.make();
  const Graph after = decompose_recurrent(before);
  EXPECT_EQ(count(after, GetParam().op), 0U);
  EXPECT_GT(count(after, Op::kMatMul), static_cast<std::size_t>(kSteps));
  expect_all_close(before, after, builder.random);
  expect_all_close(before, optimize(after, reference::evaluate), builder.random);
}

std::vector<Recurrent> cases() {
  std::vector<Recurrent> all;
  for (const Op op : {Op::kLstm, Op::kGru, Op::kRnn}) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      all.push_back({op, direction});
      all.push_back({op, direction, true, true, true, op == Op::kLstm, op == Op::kGru ? 1 : 0});
      all.push_back(all.back());
      all.back().layout = 1;
    }
  }
  all.push_back({Op::kGru, "forward", false, false, true, false, 1});
  all.push_back({Op::kGru, "forward", true, false, true, false, 0});
  all.push_back({Op::kRnn, "bidirectional", true, false, false, false, 0, {"Relu", "Elu"}});
  all.push_back({Op::kLstm,
                 "forward",
                 true,
                 false,
                 false,
                 false,
                 0,
                 {"HardSigmoid", "Softplus", "LeakyRelu"}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, DecomposeRecurrentTest, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return name_of(each.param); });

TEST(DecomposeRecurrentTest, MultipliesTheInputOnceForAllSteps) {
  const Graph g = decompose_recurrent(RecurrentBuilder({Op::kLstm}).make());
  EXPECT_EQ(count(g, Op::kMatMul), static_cast<std::size_t>(4 + 4 * kSteps));
}

TEST(DecomposeRecurrentTest, StepsAreFusedProducts) {
  const Graph g =
      decompose_recurrent(RecurrentBuilder({Op::kRnn, "forward", true, false, true}).make());
  const Graph fused = optimize(g, reference::evaluate);
  EXPECT_EQ(count(fused, Op::kMatMul), static_cast<std::size_t>(1 + kSteps));
  EXPECT_EQ(count(fused, Op::kTanh), 0U);
  EXPECT_EQ(count(fused, Op::kAdd), 0U);
}

TEST(DecomposeRecurrentTest, LeavesWhatItDoesNotCover) {
  const Recurrent plain{Op::kLstm};
  for (const Attributes& extra :
       {Attributes{{"clip", 1.0F}}, Attributes{{"input_forget", std::int64_t{1}}},
        Attributes{{"activations", std::vector<std::string>{"Affine", "Tanh", "Tanh"}}}}) {
    const Graph g = decompose_recurrent(RecurrentBuilder(plain).make(extra));
    EXPECT_EQ(ops(g), "LSTM");
  }
}

TEST(DecomposeRecurrentTest, MakesNoWeightsThatAreMadeOnDemand) {
  int made = 0;
  Random random(1);
  Builder builder("net");
  const ValueId x = input(builder, {kSteps, kBatch, kInputs});
  const auto weights = [&](Shape shape) {
    return builder.constant(lazy(random_floats(random, std::move(shape)), &made));
  };
  const auto w = weights({1, kHidden, kInputs});
  const auto r = weights({1, kHidden, kHidden});
  const auto outputs = builder.add(Op::kRnn, {x, w, r}, {}, "cell", {"Y"});
  const Graph before = finish(builder, outputs[0]);
  const Graph after = decompose_recurrent(before);
  EXPECT_EQ(count(after, Op::kRnn), 0U);
  EXPECT_EQ(made, 0);
  const NamedTensors inputs = random_inputs(before, random);
  EXPECT_LE(largest_difference(run(before, inputs), run(after, inputs)), 1e-5);
}

}  // namespace
}  // namespace weft::passes::testing
