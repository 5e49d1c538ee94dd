// Llama-style decoders: the counts of the released models, and the values of a small one against
// loops over the published formulas.
#include "models/networks/transformers/llama.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "models/networks/count.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::networks {
namespace {

using graph::Graph;
using graph::Tensor;
using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

// --- Sizes ---------------------------------------------------------------------------------------

struct Released {
  std::string name;
  std::uint64_t hidden, layers, kv_width, inner, parameters;
};

const std::vector<Released> kReleased = {
    {"llama-7b", 4096, 32, 4096, 11008, 6'738'415'616},
    {"llama-13b", 5120, 40, 5120, 13824, 13'015'864'320},
    {"llama-70b", 8192, 80, 1024, 28672, 68'976'648'192},
};

std::uint64_t macs_per_token(const Released& model) {
  const std::uint64_t attention = 2 * model.hidden * (model.hidden + model.kv_width);
  return model.layers * (attention + 3 * model.hidden * model.inner) + model.hidden * 32000;
}

TEST(LlamaTest, HasTheParametersOfTheReleasedModels) {
  for (const Released& model : kReleased) {
    EXPECT_EQ(count_parameters(build_network(model.name)), model.parameters) << model.name;
    EXPECT_EQ(count_parameters(build_network(model.name, {.kv_cache = 100})), model.parameters);
  }
}

TEST(LlamaTest, ScoresGrowWithTheTokensBefore) {
  for (const Released& model : kReleased) {
    const std::uint64_t scores = 2 * model.layers * model.hidden;  // Q K^T and the sum of V
    EXPECT_EQ(count_macs(build_network(model.name, {.sequence = 10})),
              10 * macs_per_token(model) + 10 * 10 * scores);
    EXPECT_EQ(count_macs(build_network(model.name, {.batch = 3, .kv_cache = 100})),
              3 * (macs_per_token(model) + 101 * scores));
  }
}

std::string message_of(std::string_view name, const NetworkOptions& options) {
  try {
    build_network(name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LlamaTest, RefusesCachesThatDoNotFit) {
  EXPECT_EQ(message_of("llama-7b", {.kv_cache = 4095}), "");
  EXPECT_EQ(message_of("llama-7b", {.kv_cache = 4096}),
            "network llama-7b: cache length 4096 is out of range; must be 1 to 4095");
  EXPECT_NE(message_of("llama-7b", {.kv_cache = 0}), "");
  EXPECT_NE(message_of("llama-7b", {.sequence = 5, .kv_cache = 5}).find("decodes one token"),
            std::string::npos);
  EXPECT_NE(message_of("gpt2", {.kv_cache = 5}).find("has no cache"), std::string::npos);
}

TEST(LlamaTest, OnlyTheCacheIsAFurtherInput) {
  const Graph graph = build_network("llama-70b", {.batch = 2, .kv_cache = 7});
  ASSERT_EQ(graph.inputs.size(), 1U + 2 * 80);
  for (std::size_t i = 1; i < graph.inputs.size(); ++i) {
    EXPECT_EQ(to_string(graph.type(graph.inputs[i])), "float32 2x8x7x128");
  }
}

// The cache of a layer and the logits are the largest values: nothing repeats the keys for the
// query heads that share them, and nothing copies the cache to append one token.
TEST(LlamaTest, DecodingMakesNoCopyOfTheCache) {
  constexpr std::int64_t kCached = 2000;
  for (const Released& model : kReleased) {
    SCOPED_TRACE(model.name);
    const Graph graph = build_network(model.name, {.batch = 2, .kv_cache = kCached});
    const auto elements = [&](graph::ValueId value) {
      return graph::element_count(graph.type(value).shape);
    };
    const std::int64_t cache = 2 * kCached * static_cast<std::int64_t>(model.kv_width);
    EXPECT_EQ(elements(graph.inputs.at(1)), cache);
    for (const graph::Node& node : graph.nodes) {
      EXPECT_LE(elements(node.outputs.at(0)), cache) << node.name;
    }
  }
}

// --- Values --------------------------------------------------------------------------------------

const LlamaSizes kSmall = {"small", 11, 12, 2, 6, 2, 20};
constexpr std::int64_t kTokens = 5;

/// The weights of a graph by name, as rows of doubles.
class Weights {
 public:
  explicit Weights(const Graph& graph) {
    for (const graph::Value& value : graph.values) {
      if (!value.constant || value.name.empty()) continue;
      tensors_.emplace(value.name, value.constant->tensor());
    }
  }

  Rows operator()(const std::string& name) const {
    const Tensor& tensor = tensors_.at(name);
    const auto width = static_cast<std::size_t>(tensor.shape().back());
    const auto data = tensor.data<float>();
    Rows rows(data.size() / width, Vector(width));
    for (std::size_t i = 0; i < data.size(); ++i) rows[i / width][i % width] = double{data[i]};
    return rows;
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

Rows times(const Rows& a, const Rows& b) {
  Rows c(a.size(), Vector(b.at(0).size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Rows norm(const Rows& x, const Vector& weight) {
  Rows y = x;
  for (Vector& row : y) {
    double squares = 0;
    for (const double v : row) squares += v * v;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(row.size()) + 1e-5);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= scale * weight[i];
  }
  return y;
}

/// Turns the pairs (i, i + width / 2) of each head by position / 10000^(2 i / width).
void rotate(Rows& x, std::size_t heads) {
  for (std::size_t position = 0; position < x.size(); ++position) {
    const std::size_t width = x[position].size() / heads;
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::size_t i = 0; i < width / 2; ++i) {
        const double angle =
            static_cast<double>(position) /
            std::pow(10000.0, 2 * static_cast<double>(i) / static_cast<double>(width));
        double& a = x[position][head * width + i];
        double& b = x[position][head * width + i + width / 2];
        const double turned = a * std::cos(angle) - b * std::sin(angle);
        b = b * std::cos(angle) + a * std::sin(angle);
        a = turned;
      }
    }
  }
}

Rows attend(const Rows& q, const Rows& k, const Rows& v) {
  const auto heads = static_cast<std::size_t>(kSmall.heads);
  const auto width = static_cast<std::size_t>(kSmall.head_width());
  const std::size_t shared = heads / static_cast<std::size_t>(kSmall.kv_heads);
  Rows out(q.size(), Vector(q.at(0).size()));
  for (std::size_t t = 0; t < q.size(); ++t) {
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t mine = head * width;
      const std::size_t theirs = head / shared * width;
      Vector share(t + 1);
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        double score = 0;
        for (std::size_t i = 0; i < width; ++i) score += q[t][mine + i] * k[s][theirs + i];
        share[s] = std::exp(score / std::sqrt(static_cast<double>(width)));
        sum += share[s];
      }
      for (std::size_t s = 0; s <= t; ++s) {
        for (std::size_t i = 0; i < width; ++i) {
          out[t][mine + i] += share[s] / sum * v[s][theirs + i];
        }
      }
    }
  }
  return out;
}

void add(Rows& x, const Rows& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x[i].size(); ++j) x[i][j] += y[i][j];
  }
}

Rows logits_of(const Weights& weights, const std::vector<std::int64_t>& tokens) {
  Rows x;
  const Rows words = weights("embed_tokens.weight");
  for (const std::int64_t token : tokens) x.push_back(words[static_cast<std::size_t>(token)]);
  for (int layer = 0; layer < kSmall.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".";
    const Rows a = norm(x, weights(name + "input_norm.weight").at(0));
    Rows q = times(a, weights(name + "attn.q_proj.weight"));
    Rows k = times(a, weights(name + "attn.k_proj.weight"));
    rotate(q, static_cast<std::size_t>(kSmall.heads));
    rotate(k, static_cast<std::size_t>(kSmall.kv_heads));
    const Rows context = attend(q, k, times(a, weights(name + "attn.v_proj.weight")));
    add(x, times(context, weights(name + "attn.o_proj.weight")));
    const Rows b = norm(x, weights(name + "post_norm.weight").at(0));
    Rows gate = times(b, weights(name + "mlp.gate_proj.weight"));
    const Rows up = times(b, weights(name + "mlp.up_proj.weight"));
    for (std::size_t i = 0; i < gate.size(); ++i) {
      for (std::size_t j = 0; j < gate[i].size(); ++j) {
        gate[i][j] = gate[i][j] / (1 + std::exp(-gate[i][j])) * up[i][j];
      }
    }
    add(x, times(gate, weights(name + "mlp.down_proj.weight")));
  }
  return times(norm(x, weights("norm.weight").at(0)), weights("lm_head.weight"));
}

const std::vector<std::int64_t> kIds = {3, 1, 10, 0, 7};

Tensor ids(std::int64_t first, std::int64_t count) {
  const std::vector<std::int64_t> some(kIds.begin() + first, kIds.begin() + first + count);
  return Tensor::of<std::int64_t>({1, count}, some);
}

/// Also an output: the value that the node of this name gives.
void show(Graph& graph, const std::string& node) {
  const auto found = std::ranges::find(graph.nodes, node, &graph::Node::name);
  ASSERT_NE(found, graph.nodes.end()) << node;
  graph.outputs.push_back({node, found->outputs.at(0)});
}

TEST(LlamaTest, APromptHasTheLogitsOfTheFormulas) {
  const Graph graph = build_llama(kSmall, {.sequence = kTokens});
  const Rows expected = logits_of(Weights(graph), kIds);
  const auto outputs = reference::run_graph(graph, {{"input_ids", ids(0, kTokens)}}, {});
  const auto logits = outputs.at("logits").data<float>();
  ASSERT_EQ(logits.size(), 5U * 11);
  double largest = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double wanted = expected[i / 11][i % 11];
    EXPECT_NEAR(double{logits[i]}, wanted, 1e-5) << i;
    largest = std::max(largest, std::abs(wanted));
  }
  EXPECT_GT(largest, 0.1) << "logits of nothing prove nothing";
}

// The keys and values that a prompt of four tokens leaves, then the fifth token: the last row of
// the logits of all five.
TEST(LlamaTest, ACachedTokenHasTheLogitsOfTheWholePrompt) {
  constexpr std::int64_t kBefore = kTokens - 1;
  Graph prompt = build_llama(kSmall, {.sequence = kBefore});
  for (int layer = 0; layer < kSmall.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".attn.";
    show(prompt, name + "k.rotated");
    show(prompt, name + "v.transpose");
  }
  const auto first = reference::run_graph(prompt, {{"input_ids", ids(0, kBefore)}}, {});
  std::map<std::string, Tensor> inputs = {{"input_ids", ids(kBefore, 1)}};
  for (int layer = 0; layer < kSmall.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".attn.";
    inputs.emplace("past." + name + "key", first.at(name + "k.rotated"));
    inputs.emplace("past." + name + "value", first.at(name + "v.transpose"));
  }
  const Graph decode = build_llama(kSmall, {.kv_cache = kBefore});
  const auto outputs = reference::run_graph(decode, inputs, {});
  const auto logits = outputs.at("logits").data<float>();
  const Rows expected = logits_of(Weights(decode), kIds);
  ASSERT_EQ(logits.size(), 11U);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_NEAR(double{logits[i]}, expected[4][i], 1e-5) << i;
}

}  // namespace
}  // namespace weft::networks
