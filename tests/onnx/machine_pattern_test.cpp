// What exporters write for the parts of current transformers must run on the machine as a whole:
// RMS normalization and rotary embeddings on the vector unit, Einsum on the array. Every layer must
// lie within its rounding bound around the CPU reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/passes/optimize.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::Model;
using testing_support::set;

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kTokens = 16;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kSize = 8;  // elements of a head
constexpr std::int64_t kWidth = kHeads * kSize;

MachineConfig machine() {
  MachineConfig config;
  config.array_rows = 16;
  config.array_cols = 16;
  config.dtype = ElementType::kBf16;
  config.accumulator_rows = 64;
  config.unified_buffer_kib = 64;
  return config;
}

class Network {
 public:
  explicit Network(std::int64_t opset) : model_(opset) {
    model_.input("x", {1, kTokens, kWidth}).output("y");
  }

  Model& model() { return model_; }

  std::string weights(const std::string& name, const Ints& dims) {
    std::uniform_real_distribution<float> draw(-0.5F, 0.5F);
    return constant(name, dims, [&](std::int64_t) { return draw(random_); });
  }
  template <class Value>
  std::string constant(const std::string& name, const Ints& dims, Value&& value) {
    TensorProto& tensor = model_.initializer(name, TensorProto::FLOAT, dims);
    for (std::int64_t i = 0; i < graph::element_count(dims); ++i) tensor.add_float_data(value(i));
    return name;
  }
  std::string number(const std::string& name, float value) {
    return constant(name, {}, [=](std::int64_t) { return value; });
  }
  /// Adds a node whose name is that of its result.
  ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                          const std::string& result) {
    return model_.node(op, inputs, {result});
  }
  /// `result` = `x` times weights [kWidth, kWidth].
  void project(const std::string& x, const std::string& result) {
    node("MatMul", {x, weights(result + "_w", {kWidth, kWidth})}, result);
  }

 private:
  Model model_;
  std::mt19937 random_{18};
};

/// The nodes that the machine leaves to the host, with its reasons. Expects all layers to be within
/// their bounds.
std::vector<std::string> left_to_the_host(const Model& model) {
  const graph::Graph graph =
      passes::optimize(model.import({.evaluate = reference::evaluate}), reference::evaluate);
  const compiler::NetworkProgram program = compiler::compile_network(graph, machine());
  std::vector<float> values(kTokens * kWidth);
  std::mt19937 random(7);
  for (float& value : values) value = std::uniform_real_distribution<float>(-2, 2)(random);
  const runtime::NamedTensors inputs = {{"x", Tensor::of({1, kTokens, kWidth}, values)}};
  runtime::NetworkRunOptions options;
  options.keep_results = true;
  const runtime::NetworkRun run = runtime::run_network(program, machine(), inputs, options);
  EXPECT_EQ(runtime::check_network(program, machine(), inputs, run).mismatch, std::nullopt);
  std::vector<std::string> left;
  for (const auto& step : program.steps) {
    const auto* host = std::get_if<compiler::HostStep>(&step);
    if (host != nullptr) left.push_back(program.graph.nodes[host->node].name + ": " + host->reason);
  }
  return left;
}

/// y = norm(x w) v, with `normalize` to add the nodes from "h" to "n".
template <class Normalize>
Model normalized(std::int64_t opset, Normalize&& normalize) {
  Network network(opset);
  network.project("x", "h");
  network.weights("scale", {kWidth});
  normalize(network);
  network.project("n", "y");
  return network.model();
}

void root_of_mean_square(Network& network, bool by_power) {
  if (by_power) {
    network.node("Pow", {"h", network.number("two", 2)}, "squares");
  } else {
    network.node("Mul", {"h", "h"}, "squares");
  }
  network.model().ints("axes", {-1});
  network.node("ReduceMean", {"squares", "axes"}, "mean");
  network.node("Add", {"mean", network.number("epsilon", 1e-5F)}, "power");
  network.node("Sqrt", {"power"}, "root");
}

TEST(MachinePatternTest, RmsNormalizationIsRowWorkInEveryForm) {
  for (const bool by_power : {false, true}) {
    for (const std::string form : {"Div", "Reciprocal", "Div of 1"}) {
      SCOPED_TRACE(form);
      const Model model = normalized(18, [&](Network& network) {
        root_of_mean_square(network, by_power);
        if (form == "Div") {
          network.node("Div", {"h", "root"}, "unit");
        } else {
          const bool of_one = form == "Div of 1";
          network.node(of_one ? "Div" : "Reciprocal",
                       of_one ? std::vector<std::string>{network.number("one", 1), "root"}
                              : std::vector<std::string>{"root"},
                       "inverse");
          network.node("Mul", {"h", "inverse"}, "unit");
        }
        network.node("Mul", {"scale", "unit"}, "n");
      });
      EXPECT_THAT(left_to_the_host(model), IsEmpty());
    }
  }
}

TEST(MachinePatternTest, TheOperatorRmsNormalizationIsRowWork) {
  EXPECT_THAT(left_to_the_host(normalized(23,
                                          [](Network& network) {
                                            network.node("RMSNormalization", {"h", "scale"}, "n");
                                          })),
              IsEmpty());
}

TEST(MachinePatternTest, FunctionsBuiltOfOthersAreRowWork) {
  for (const auto& [op, opset] : std::vector<std::pair<std::string, std::int64_t>>{
           {"Gelu", 20}, {"Mish", 18}, {"Swish", 24}, {"Softsign", 18}}) {
    EXPECT_THAT(left_to_the_host(
                    normalized(opset, [&](Network& network) { network.node(op, {"h"}, "n"); })),
                IsEmpty())
        << op;
  }
}

/// The angle of element `e` of a head at position `s`.
double angle(std::int64_t s, std::int64_t e) {
  return static_cast<double>(s) / std::pow(100.0, static_cast<double>(e % (kSize / 2)) / kSize);
}

/// name -> name_heads [1, kHeads, kTokens, kSize].
void split_heads(Network& network, const std::string& name) {
  network.node("Reshape", {name, "heads_shape"}, name + "_r");
  set(network.node("Transpose", {name + "_r"}, name + "_heads"), "perm", Ints{0, 2, 1, 3});
}

/// name_heads -> name_turned, as PyTorch exports x * cos + rotate_half(x) * sin.
void rotate(Network& network, const std::string& name) {
  const std::string x = name + "_heads";
  auto& split = network.model().node("Split", {x}, {name + "_low", name + "_high"});
  set(split, "axis", std::int64_t{3});
  set(split, "num_outputs", std::int64_t{2});
  network.node("Neg", {name + "_high"}, name + "_neg");
  set(network.node("Concat", {name + "_neg", name + "_low"}, name + "_half"), "axis",
      std::int64_t{-1});
  network.node("Mul", {x, "cosines"}, name + "_c");
  network.node("Mul", {name + "_half", "sines"}, name + "_s");
  network.node("Add", {name + "_c", name + "_s"}, name + "_turned");
}

/// Scores of attention between queries and keys that `turn` turned.
template <class Turn>
Model scores(std::int64_t opset, std::int64_t table_size, Turn&& turn) {
  Network network(opset);
  network.model().ints("heads_shape", {1, kTokens, kHeads, kSize});
  const Ints table = opset >= 23 ? Ints{1, kTokens, table_size} : Ints{1, 1, kTokens, table_size};
  const auto at = [=](std::int64_t i) { return angle(i / table_size, i % table_size); };
  network.constant("cosines", table,
                   [&](std::int64_t i) { return static_cast<float>(std::cos(at(i))); });
  network.constant("sines", table,
                   [&](std::int64_t i) { return static_cast<float>(std::sin(at(i))); });
  for (const std::string name : {"q", "k"}) {
    network.project("x", name);
    split_heads(network, name);
    turn(network, name);
  }
  set(network.node("Transpose", {"k_turned"}, "k_t"), "perm", Ints{0, 1, 3, 2});
  network.node("MatMul", {"q_turned", "k_t"}, "y");
  return network.model();
}

TEST(MachinePatternTest, RotaryEmbeddingsAreRowWork) {
  EXPECT_THAT(left_to_the_host(scores(18, kSize, rotate)), IsEmpty());
}

TEST(MachinePatternTest, TheOperatorRotaryEmbeddingIsRowWork) {
  const Model model = scores(23, kSize / 2, [](Network& network, const std::string& name) {
    network.node("RotaryEmbedding", {name + "_heads", "cosines", "sines"}, name + "_turned");
  });
  EXPECT_THAT(left_to_the_host(model), IsEmpty());
}

TEST(MachinePatternTest, EinsumsOfAttentionAreProductsOfTheArray) {
  Network network(18);
  network.model().ints("heads_shape", {1, kTokens, kHeads, kSize});
  for (const std::string name : {"q", "k"}) {
    network.project("x", name);
    network.node("Reshape", {name, "heads_shape"}, name + "_r");
  }
  set(network.node("Einsum", {"q_r", "k_r"}, "y"), "equation", std::string("bqhd,bkhd->bhqk"));
  EXPECT_THAT(left_to_the_host(network.model()), IsEmpty());
}

}  // namespace
}  // namespace weft::onnx_io
