// Unit tests of two results side by side: how layers are matched, and what a change is.
#include "report/results/result_pair.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::report {
namespace {

ResultPair pair_of(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  ResultPair pair;
  for (const std::string& name : a) pair.a.layers.push_back({name, "Op", "array"});
  for (const std::string& name : b) pair.b.layers.push_back({name, "Op", "array"});
  return pair;
}

/// "conv conv, - quantize": the layers of A and of B, pair by pair.
std::string pairs_text(const ResultPair& pair) {
  std::string text;
  for (const auto& [a, b] : layer_pairs(pair)) {
    text += (text.empty() ? "" : ", ") + (a == nullptr ? "-" : a->name) + " " +
            (b == nullptr ? "-" : b->name);
  }
  return text;
}

TEST(ResultPairTest, MatchesLayersByName) {
  EXPECT_EQ(pairs_text(pair_of({"x", "y"}, {"x", "y"})), "x x, y y");
  EXPECT_EQ(pairs_text(pair_of({"x", "y"}, {})), "x -, y -");
  EXPECT_EQ(pairs_text(pair_of({}, {})), "");
}

TEST(ResultPairTest, PutsLayersOfBAloneWhereTheyStandInB) {
  EXPECT_EQ(pairs_text(pair_of({"x", "y"}, {"q", "x", "r", "s", "y", "t"})),
            "- q, x x, - r, - s, y y, - t");
  EXPECT_EQ(pairs_text(pair_of({"x", "y"}, {"y", "q", "x", "r"})), "x x, - r, y y, - q");
}

TEST(ResultPairTest, MatchesLayersOfOneNameInTheirOrder) {
  const ResultPair pair = pair_of({"x", "x"}, {"x", "x", "x"});
  EXPECT_EQ(pairs_text(pair), "x x, x x, - x");
  const std::vector<LayerPair> pairs = layer_pairs(pair);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(pairs[i].b, &pair.b.layers[i]);
}

TEST(ResultPairTest, AChangeIsAShareOfA) {
  const auto row = [](std::optional<double> a, std::optional<double> b) {
    return ResultRow{"key", "name", Quantity::kCycles, a, b};
  };
  EXPECT_EQ(row(4, 3).difference(), -1);
  EXPECT_EQ(row(4, 3).change(), -0.25);
  EXPECT_EQ(row(0, 0).change(), 0);
  EXPECT_EQ(row(0, 3).change(), std::nullopt);
  EXPECT_EQ(row(0, 3).difference(), 3);
  EXPECT_EQ(row(std::nullopt, 3).difference(), std::nullopt);
  EXPECT_EQ(row(3, std::nullopt).change(), std::nullopt);
}

TEST(ResultPairTest, RefusesDifferentKinds) {
  RunResult a;
  RunResult b;
  b.kind = ResultKind::kConvolution;
  EXPECT_THROW(pair_results(a, b), InputError);
  b.kind = a.kind;
  EXPECT_EQ(pair_results(a, b).kind(), ResultKind::kProduct);
}

}  // namespace
}  // namespace weft::report
