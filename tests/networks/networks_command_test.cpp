#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "models/networks/networks.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;

/// Returns the line of `text` that starts with `word` and a space.
std::string line_of(const std::string& text, const std::string& word) {
  const std::size_t start = ("\n" + text).find("\n" + word + " ");
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

TEST(NetworksCommandTest, ListsEachNetworkWithItsSizes) {
  const Finished finished = run_weft({"networks"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  for (const auto& info : networks::networks()) {
    EXPECT_NE(line_of(finished.out, std::string(info.name)), "") << info.name;
  }
  const std::string resnet = line_of(finished.out, "resnet50");
  EXPECT_NE(resnet.find("float32 1x3x224x224"), std::string::npos) << resnet;
  EXPECT_NE(resnet.find("25.6 M"), std::string::npos) << resnet;
  EXPECT_NE(resnet.find("4.09 G"), std::string::npos) << resnet;
}

TEST(NetworksCommandTest, WritesTheSameAsJson) {
  const Finished finished = run_weft({"networks", "--json", "-"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json all = json::parse(finished.out);
  EXPECT_EQ(all["schema"], 1);
  EXPECT_EQ(all["command"], "networks");
  EXPECT_EQ(all["networks"].size(), networks::networks().size());
}

TEST(NetworksCommandTest, WritesOneNetworkAsJson) {
  const Finished finished = run_weft({"networks", "bert-base", "--json", "-"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json networks = json::parse(finished.out)["networks"];
  ASSERT_EQ(networks.size(), 1U);
  const json& bert = networks[0];
  EXPECT_EQ(bert["name"], "bert-base");
  EXPECT_EQ(
      bert["inputs"][1],
      json({{"name", "token_type_ids"}, {"type", "int64"}, {"shape", json::array({1, 128})}}));
  EXPECT_EQ(bert["outputs"][0]["shape"], json::array({1, 128, 768}));
  EXPECT_EQ(bert["longest_sequence"], 512);
  EXPECT_EQ(bert["parameters"], 109'482'240);
}

TEST(NetworksCommandTest, PrintsOneNetworkNodeByNode) {
  const Finished finished = run_weft({"networks", "lenet5"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("AveragePool("), std::string::npos);
  EXPECT_NE(finished.out.find("float32 1x16x10x10"), std::string::npos);
}

TEST(NetworksCommandTest, ExplainsItself) {
  const Finished finished = run_weft({"networks", "--help"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_NE(finished.out.find("--json FILE"), std::string::npos);
}

TEST(NetworksCommandTest, RefusesWhatItDoesNotKnow) {
  const Finished misspelt = run_weft({"networks", "resnet5O"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_EQ(misspelt.out, "");
  EXPECT_NE(misspelt.err.find("did you mean resnet50?"), std::string::npos) << misspelt.err;
  EXPECT_EQ(run_weft({"networks", "mlp", "vgg16"}).code, 2);
  EXPECT_EQ(run_weft({"networks", "--batch", "3"}).code, 2);
  EXPECT_EQ(run_weft({"networks", "--json", "/no/such/folder/x.json"}).code, 2);
}

}  // namespace
}  // namespace weft::test
