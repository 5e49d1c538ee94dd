// Operators that the importer builds of others must follow their definitions in ONNX. ONNX's node
// tests check those of opset 17 (node_test.cpp); here are newer ones, corner cases and errors.
// Expected elements come from the definitions, in float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "compiler/graph/builder/check.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Shape;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;

using Floats = std::vector<float>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The model's output y.
Tensor run(const Model& model, const reference::NamedTensors& inputs) {
  const graph::Graph graph = model.import({.evaluate = reference::evaluate});
  graph::check(graph);
  return reference::run_graph(graph, inputs).at("y");
}

std::string error_of_model(const Model& model) {
  return error_of([&] { model.import({.evaluate = reference::evaluate}); });
}

Tensor random_tensor(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-3, 3);
  Floats values(static_cast<std::size_t>(graph::element_count(shape)));
  for (float& value : values) value = draw(random);
  return Tensor::of(shape, values);
}

void expect_near(const Tensor& actual, const std::vector<double>& expected, double relative) {
  ASSERT_EQ(static_cast<std::size_t>(actual.size()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto element = static_cast<double>(actual.data<float>()[i]);
    EXPECT_NEAR(element, expected[i], relative * (1 + std::abs(expected[i]))) << i;
  }
}

Model function_of_x(const std::string& op, std::int64_t opset, const Shape& shape = {7}) {
  Model model(opset);
  model.input("x", {shape.begin(), shape.end()}).output("y");
  model.node(op, {"x"}, {"y"}).set_name("n");
  return model;
}

TEST(CompositeTest, FunctionsFollowTheirFormulas) {
  struct Case {
    std::string op;
    std::int64_t opset;
    std::string attribute;  // "approximate" is a text, others are numbers
    std::function<double(double)> formula;
  };
  constexpr double kPi = 3.14159265358979323846;
  const std::vector<Case> cases = {
      {"Gelu", 20, "", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"Gelu", 20, "approximate",
       [](double x) {
         return 0.5 * x * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
       }},
      {"Mish", 18, "", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"Swish", 24, "", [](double x) { return x / (1 + std::exp(-x)); }},
      {"Swish", 24, "alpha", [](double x) { return x / (1 + std::exp(-2.5 * x)); }},
      {"Celu", 12, "", [](double x) { return x > 0 ? x : std::expm1(x); }},
      {"Celu", 12, "alpha", [](double x) { return x > 0 ? x : 2.5 * std::expm1(x / 2.5); }},
      {"ThresholdedRelu", 10, "alpha", [](double x) { return x > 2.5 ? x : 0; }},
      {"Softsign", 1, "", [](double x) { return x / (1 + std::abs(x)); }},
      {"Shrink", 9, "", [](double x) { return std::abs(x) > 0.5 ? x : 0; }},
  };
  const Floats points = {-20, -2.5F, -0.25F, 0, 0.75F, 2.5F, 30};
  for (const auto& [op, opset, attribute, formula] : cases) {
    SCOPED_TRACE(op + " " + attribute);
    Model model = function_of_x(op, opset);
    auto& node = *model.graph().mutable_node(0);
    if (attribute == "approximate") set(node, attribute, std::string("tanh"));
    if (attribute == "alpha") set(node, attribute, 2.5F);
    std::vector<double> expected;
    for (const float x : points) expected.push_back(formula(static_cast<double>(x)));
    expect_near(run(model, {{"x", Tensor::vector<float>(points)}}), expected, 1e-6);
  }
}

TEST(CompositeTest, OperatorsExistFromTheirOpsetOn) {
  EXPECT_EQ(error_of_model(function_of_x("Mish", 17)),
            "test.onnx: node 'n' (Mish): opset 17 has no such operator");
  EXPECT_EQ(error_of_model(function_of_x("Gelu", 19)),
            "test.onnx: node 'n' (Gelu): opset 19 has no such operator");
  EXPECT_EQ(error_of_model(function_of_x("Celu", 11)),
            "test.onnx: node 'n' (Celu): opset 11 has no such operator");
}

TEST(CompositeTest, NanIsNeitherLessNorGreaterNorEqual) {
  for (const std::string op : {"LessOrEqual", "GreaterOrEqual"}) {
    Model model(16);
    model.input("a", {5}).input("b", {5}).output("y", TensorProto::BOOL);
    model.node(op, {"a", "b"}, {"y"});
    const Tensor y = run(model, {{"a", Tensor::vector<float>({kNan, 1, 1, kInf, 3})},
                                 {"b", Tensor::vector<float>({1, kNan, 1, kInf, 2})}});
    EXPECT_THAT(y.data<bool>(), ElementsAre(false, false, true, true, op == "GreaterOrEqual"));
  }
}

TEST(CompositeTest, LogarithmsOfSumsOfPowersNeitherOverflowNorLoseInfinities) {
  Model model(18);
  model.input("x", {5, 2}).output("y").ints("axes", {1});
  set(model.node("ReduceLogSumExp", {"x", "axes"}, {"y"}), "keepdims", std::int64_t{0});
  const Tensor x =
      Tensor::of<float>({5, 2}, {1000, 1000, -1000, -1000, -kInf, -kInf, kInf, 0, kNan, 0});
  const Tensor y = run(model, {{"x", x}});
  const auto data = y.data<float>();
  EXPECT_FLOAT_EQ(data[0], 1000 + std::log(2.0F));
  EXPECT_FLOAT_EQ(data[1], -1000 + std::log(2.0F));
  EXPECT_EQ(data[2], -kInf);
  EXPECT_EQ(data[3], kInf);
  EXPECT_TRUE(std::isnan(data[4]));
}

TEST(CompositeTest, NormsOfIntegersAreIntegers) {
  Model model(13);
  model.input("x", {2}, TensorProto::INT32).output("y", TensorProto::INT32);
  model.node("ReduceL2", {"x"}, {"y"});
  // The sum of the squares does not fit in int32.
  EXPECT_EQ(run(model, {{"x", Tensor::vector<std::int32_t>({60'000, 80'000})}}),
            Tensor::vector<std::int32_t>({100'000}));
}

TEST(CompositeTest, HardmaxBefore13RunsOverAllDimensionsFromItsAxisOn) {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 4, 4});
  EXPECT_EQ(run(function_of_x("Hardmax", 11, {1, 2, 2}), {{"x", x}}),
            Tensor::of<float>({1, 2, 2}, {0, 0, 1, 0}));
  EXPECT_EQ(run(function_of_x("Hardmax", 13, {1, 2, 2}), {{"x", x}}),
            Tensor::of<float>({1, 2, 2}, {0, 1, 1, 0}));
}

TEST(CompositeTest, SizeCountsTheElements) {
  const auto size = [](const Shape& shape) {
    Model model(13);
    model.input("x", {shape.begin(), shape.end()}).output("y", TensorProto::INT64);
    model.node("Size", {"x"}, {"y"});
    return run(model, {{"x", Tensor(graph::DataType::kFloat32, shape)}});
  };
  EXPECT_EQ(size({2, 3, 5}), Tensor::scalar<std::int64_t>(30));
  EXPECT_EQ(size({}), Tensor::scalar<std::int64_t>(1));
  EXPECT_EQ(size({4, 0}), Tensor::scalar<std::int64_t>(0));
}

TEST(CompositeTest, TrianglesOfAnyTypeAndDiagonal) {
  const auto triangle = [](std::int64_t k, std::int64_t upper) {
    Model model(14);
    model.input("x", {2, 2}, TensorProto::BOOL).output("y", TensorProto::BOOL);
    model.initializer("k", TensorProto::INT64, {}).add_int64_data(k);
    set(model.node("Trilu", {"x", "k"}, {"y"}), "upper", upper);
    const Tensor ones = Tensor::of<bool>({2, 2}, {true, true, true, true});
    const Tensor y = run(model, {{"x", ones}});
    return std::vector<bool>(y.data<bool>().begin(), y.data<bool>().end());
  };
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(triangle(0, 1), ElementsAre(true, true, false, true));
  EXPECT_THAT(triangle(0, 0), ElementsAre(true, false, true, true));
  EXPECT_THAT(triangle(1, 1), ElementsAre(false, true, false, false));
  EXPECT_THAT(triangle(kMost, 1), ElementsAre(false, false, false, false));
  EXPECT_THAT(triangle(kLeast, 1), ElementsAre(true, true, true, true));
  EXPECT_THAT(triangle(kLeast, 0), ElementsAre(false, false, false, false));
}

/// x [2, 4, 3] in 2 groups of channels, with scales and biases per group or per channel.
std::vector<double> group_normalized(const Tensor& x, const Floats& scale, const Floats& bias) {
  constexpr std::size_t kChannels = 4;
  constexpr std::size_t kLength = 3;
  constexpr std::size_t kGroup = 2 * kLength;
  std::vector<double> result;
  for (std::size_t i = 0; i < 2 * kChannels * kLength; ++i) {
    const std::size_t first = i / kGroup * kGroup;
    double sum = 0;
    double squares = 0;
    for (std::size_t j = first; j < first + kGroup; ++j) {
      const auto element = static_cast<double>(x.data<float>()[j]);
      sum += element;
      squares += element * element;
    }
    const double mean = sum / kGroup;
    const double variance = squares / kGroup - mean * mean;
    const std::size_t channel = i / kLength % kChannels;
    const std::size_t at = scale.size() == kChannels ? channel : channel / 2;
    result.push_back(static_cast<double>(scale[at]) *
                         (static_cast<double>(x.data<float>()[i]) - mean) /
                         std::sqrt(variance + 0.01) +
                     static_cast<double>(bias[at]));
  }
  return result;
}

Model group_normalization(std::int64_t opset, const Floats& scale, const Floats& bias) {
  Model model(opset);
  model.input("x", {2, 4, 3}).output("y").floats("s", scale).floats("b", bias);
  auto& node = model.node("GroupNormalization", {"x", "s", "b"}, {"y"});
  node.set_name("n");
  set(node, "num_groups", std::int64_t{2});
  set(node, "epsilon", 0.01F);
  return model;
}

TEST(CompositeTest, GroupNormalizationScalesGroupsIn18AndChannelsFrom21On) {
  const Tensor x = random_tensor({2, 4, 3}, 1);
  expect_near(run(group_normalization(18, {2, 3}, {1, -1}), {{"x", x}}),
              group_normalized(x, {2, 3}, {1, -1}), 1e-5);
  const Floats scale = {2, 3, 4, 5};
  const Floats bias = {0, 1, 2, 3};
  expect_near(run(group_normalization(21, scale, bias), {{"x", x}}),
              group_normalized(x, scale, bias), 1e-5);
  EXPECT_EQ(error_of_model(group_normalization(21, {2, 3}, {1, -1})),
            "test.onnx: node 'n' (GroupNormalization): input 1 (scale): shape 2, not 4");
}

TEST(CompositeTest, RmsNormalizationDividesByTheRootOfTheMeanSquare) {
  Model model(23);
  model.input("x", {2, 2, 3}).output("y").floats("w", {1, 2, 3});
  auto& node = model.node("RMSNormalization", {"x", "w"}, {"y"});
  set(node, "axis", std::int64_t{1});
  set(node, "epsilon", 0.5F);
  const Tensor x = random_tensor({2, 2, 3}, 2);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 12; ++i) {
    double squares = 0;
    for (std::size_t j = i / 6 * 6; j < i / 6 * 6 + 6; ++j) {
      squares += std::pow(static_cast<double>(x.data<float>()[j]), 2);
    }
    expected.push_back(static_cast<double>(i % 3 + 1) * static_cast<double>(x.data<float>()[i]) /
                       std::sqrt(squares / 6 + 0.5));
  }
  expect_near(run(model, {{"x", x}}), expected, 1e-6);
}

struct RotaryCase {
  bool has_heads_outside;  // [batch, heads, sequence, elements], else [batch, sequence, all]
  bool interleaved;
  std::int64_t rotated;  // 0: all
  bool positions;
};

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kSequence = 3;
constexpr std::int64_t kSize = 6;  // elements of a head

/// Where the element of a head is in x.
std::size_t rotary_place(const RotaryCase& test, std::int64_t b, std::int64_t h, std::int64_t s,
                         std::int64_t e) {
  const std::int64_t row =
      test.has_heads_outside ? (b * kHeads + h) * kSequence + s : (b * kSequence + s) * kHeads + h;
  return static_cast<std::size_t>(row * kSize + e);
}

/// Turns each pair of elements by its angle. Position `s` of batch `b` is row 2 - s of the tables
/// if there are positions, else row b * kSequence + s.
std::vector<double> rotated(const RotaryCase& test, const Tensor& x, const Tensor& cosine,
                            const Tensor& sine) {
  const std::int64_t half = (test.rotated == 0 ? kSize : test.rotated) / 2;
  std::vector<double> result(x.data<float>().begin(), x.data<float>().end());
  for (std::int64_t row = 0; row < kBatch * kHeads * kSequence; ++row) {
    const std::int64_t b = row / (kHeads * kSequence);
    const std::int64_t h = row / kSequence % kHeads;
    const std::int64_t s = row % kSequence;
    for (std::int64_t pair = 0; pair < half; ++pair) {
      const std::int64_t first = test.interleaved ? 2 * pair : pair;
      const std::int64_t second = test.interleaved ? 2 * pair + 1 : pair + half;
      const std::int64_t table = test.positions ? 2 - s : b * kSequence + s;
      const auto at = static_cast<std::size_t>(table * half + pair);
      const auto c = static_cast<double>(cosine.data<float>()[at]);
      const auto d = static_cast<double>(sine.data<float>()[at]);
      const std::size_t i = rotary_place(test, b, h, s, first);
      const std::size_t j = rotary_place(test, b, h, s, second);
      const auto a = static_cast<double>(x.data<float>()[i]);
      const auto e = static_cast<double>(x.data<float>()[j]);
      result[i] = c * a - d * e;
      result[j] = d * a + c * e;
    }
  }
  return result;
}

TEST(CompositeTest, RotaryEmbeddingsTurnPairsOfElements) {
  std::vector<RotaryCase> cases;
  for (unsigned i = 0; i < 16; ++i) {
    cases.push_back({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0 ? 4 : 0, (i & 8) != 0});
  }
  for (const RotaryCase& test : cases) {
    SCOPED_TRACE(testing::Message()
                 << test.has_heads_outside << test.interleaved << test.rotated << test.positions);
    const std::int64_t half = (test.rotated == 0 ? kSize : test.rotated) / 2;
    const Shape shape = test.has_heads_outside ? Shape{kBatch, kHeads, kSequence, kSize}
                                               : Shape{kBatch, kSequence, kHeads * kSize};
    const Shape table = test.positions ? Shape{kSequence, half} : Shape{kBatch, kSequence, half};
    Model model(23);
    model.input("x", {shape.begin(), shape.end()}).output("y");
    model.input("c", {table.begin(), table.end()}).input("s", {table.begin(), table.end()});
    auto& ids = model.initializer("ids", TensorProto::INT64, {kBatch, kSequence});
    for (const int id : {2, 1, 0, 2, 1, 0}) ids.add_int64_data(id);
    std::vector<std::string> inputs = {"x", "c", "s"};
    if (test.positions) inputs.emplace_back("ids");
    auto& node = model.node("RotaryEmbedding", inputs, {"y"});
    set(node, "interleaved", std::int64_t{test.interleaved ? 1 : 0});
    if (test.rotated != 0) set(node, "rotary_embedding_dim", test.rotated);
    if (!test.has_heads_outside) set(node, "num_heads", kHeads);
    const Tensor x = random_tensor(shape, 3);
    const Tensor cosine = random_tensor(table, 4);
    const Tensor sine = random_tensor(table, 5);
    expect_near(run(model, {{"x", x}, {"c", cosine}, {"s", sine}}), rotated(test, x, cosine, sine),
                1e-6);
  }
}

}  // namespace
}  // namespace weft::onnx_io
