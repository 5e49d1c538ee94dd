// Folds whose tiles of weights come through the unified buffer.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

using nlohmann::json;

/// The rows of K and columns of N of each fold, in order.
std::vector<std::pair<json, json>> tiles_of(const json& report) {
  std::vector<std::pair<json, json>> tiles;
  for (const json& entry : report.at("account").at("entries")) {
    tiles.emplace_back(entry.at("step").at("k"), entry.at("step").at("n"));
  }
  return tiles;
}

// A tile that comes through the unified buffer has no number in its fetch.
TEST(ExplainAccountTest, NamesTilesThatComeThroughTheBuffer) {
  const Words machine = {"--machine",         "tiny", "--memory.kind",        "split",
                         "--memory.gb_per_s", "0.1",  "--host.gb_per_s",      "10",
                         "--steps",           "all",  "--unified_buffer.kib", "64"};
  const json product = json_of(Words{"explain", "1", "32", "24"} + machine);
  EXPECT_GT(product.at("plan").at("buffered_tiles"), 0);
  const Words conv = {"explain", "conv",     "--input", "1,32,3,3", "--filters",
                      "24",      "--kernel", "1",       "--taps",   "apart"};
  const json apart = json_of(conv + machine);
  EXPECT_NE(apart.at("layers").at(0).at("schedule").dump().find("tiles of weights come"),
            std::string::npos);
  for (const json& report : {product, apart}) {
    std::set<std::pair<json, json>> seen;
    for (const auto& tile : tiles_of(report)) seen.insert(tile);
    EXPECT_EQ(seen.size(), 8U * 6U);
  }
}

}  // namespace
}  // namespace weft::test
