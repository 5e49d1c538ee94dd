// Networks that generate text: tokens a second, beside those that the memory allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

const Words kFast = {"run", "llama-7b", "--engine", "analytic", "--optimize", "0"};

TEST(LlamaRunTest, DecodingIsReportedInTokensASecond) {
  const json run = json_of(kFast + Words{"--kv-cache", "512"});
  EXPECT_EQ(run.at("workload").at("kv_cache"), 512);
  EXPECT_EQ(run.at("workload").at("parameters"), 6'738'415'616);
  const json& tokens = run.at("tokens");
  EXPECT_EQ(tokens.at("per_run"), 1);
  const double seconds = run.at("seconds");
  EXPECT_DOUBLE_EQ(tokens.at("per_second").get<double>(), 1 / seconds);
  const double weights = 2 * (6'738'415'616.0 - 32000.0 * 4096);  // bf16, without the embedding
  const double cache = 2.0 * 2 * 32 * 512 * 4096;
  EXPECT_EQ(tokens.at("weight_bytes"), weights);
  EXPECT_EQ(tokens.at("cache_bytes"), cache);
  EXPECT_DOUBLE_EQ(tokens.at("memory_seconds").get<double>(), (weights + cache) / 350e9);
  EXPECT_DOUBLE_EQ(tokens.at("memory_per_second").get<double>(), 350e9 / (weights + cache));
  // Nothing beats the memory: the machine reads every weight at least once.
  EXPECT_GE(seconds, (weights + cache) / 350e9);
  // Scales of normalizations come as inputs of the vector unit.
  const json& traffic = run.at("traffic");
  EXPECT_GE(traffic.at("weight_bytes").get<double>(), weights - 2.0 * 65 * 4096);
  EXPECT_GE(traffic.at("weight_bytes").get<double>() + traffic.at("input_bytes").get<double>(),
            weights + cache);
  // The cache comes once and does not leave.
  EXPECT_LE(traffic.at("input_bytes").get<double>(), 1.05 * cache);
  EXPECT_LE(traffic.at("output_bytes").get<double>(), 0.01 * cache);
}

TEST(LlamaRunTest, APromptIsReportedInTokensASecond) {
  const Words prefill = kFast + Words{"--sequence", "16", "--batch", "2"};
  const json run = json_of(prefill);
  const double seconds = run.at("seconds");
  EXPECT_EQ(run.at("tokens").at("per_run"), 32);
  EXPECT_DOUBLE_EQ(run.at("tokens").at("per_second").get<double>(), 32 / seconds);
  EXPECT_EQ(run.at("tokens").at("cache_bytes"), 0);
  const Finished text = run_weft(prefill);
  EXPECT_NE(text.out.find("\ntokens     "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("in prompts of 16; the memory allows "), std::string::npos) << text.out;
  const json ideal = json_of(prefill + Words{"--memory.kind", "ideal"});
  EXPECT_TRUE(ideal.at("tokens").at("memory_seconds").is_null());
  EXPECT_TRUE(ideal.at("tokens").at("memory_per_second").is_null());
}

TEST(LlamaRunTest, OtherNetworksHaveNoTokens) {
  EXPECT_FALSE(json_of({"run", "lenet5", "--engine", "analytic"}).contains("tokens"));
}

TEST(LlamaRunTest, AGpuDecodesToo) {
  const json report =
      json_of({"compare", "llama-7b", "--kv-cache", "512", "--with", "a100-80gb,h100"});
  EXPECT_EQ(report.at("workload").at("kv_cache"), 512);
  // No device reads the weights faster than its memory gives them. Parameters of Llama 2 7B but its
  // embedding of 32000 x 4096: 6.607e9; a cached token has 32 keys and 32 values of 4096.
  const double bytes = 2 * (6'738'415'616.0 - 32000.0 * 4096 + 512.0 * 64 * 4096);
  for (const auto& [row, rate] : {std::pair{0U, 2039e9}, {1U, 3350e9}}) {
    const json& details = report.at("rows").at(row).at("details");
    EXPECT_NEAR(details.at("memory_tokens_per_second").get<double>(), rate / bytes,
                1e-9 * rate / bytes);
  }
  EXPECT_GE(report.at("rows").at(0).at("seconds").get<double>(), 13.2e9 / 2039e9);
  EXPECT_GE(report.at("rows").at(1).at("seconds").get<double>(), 13.2e9 / 3350e9);
}

TEST(LlamaRunTest, TheSequencesOfABatchEachGetATokenFromAGpu) {
  const Words compare = {"compare", "llama-7b", "--kv-cache", "512",
                         "--batch", "4",        "--with",     "h100"};
  const json row = json_of(compare).at("rows").at(0);
  const double rate = row.at("details").at("tokens_per_second");
  EXPECT_DOUBLE_EQ(rate, 4 / row.at("seconds").get<double>());
  EXPECT_THAT(row.at("basis").get<std::string>(), testing::HasSubstr(" tokens/s"));
  const json other = json_of({"compare", "lenet5", "--with", "h100"}).at("rows").at(0);
  EXPECT_FALSE(other.at("details").contains("tokens_per_second"));
}

void expect_refused(const Words& words, const std::string& message) {
  SCOPED_TRACE(testing::PrintToString(words));
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_NE(finished.err.find(message), std::string::npos) << finished.err;
}

TEST(LlamaRunTest, ValuesNeedTheWeightsInMemory) {
  for (const Words& words :
       {Words{"run", "llama-70b"}, Words{"run", "llama-70b", "--backend", "cpu"},
        Words{"run", "llama-70b", "--kv-cache", "10"}}) {
    expect_refused(words, "llama-70b: its weights would take 276 GB, but this computer has");
  }
  const TemporaryFolder folder;
  expect_refused({"quantize", "llama-70b", "--calibrate", "digits", "-o", folder.file("x.onnx")},
                 "its weights would take 276 GB");
  EXPECT_EQ(folder.count(), 0U);
  expect_refused({"compare", "llama-70b", "--with", "cpu"}, "too large to measure");
}

// 68,976,648,192 parameters of 2 bytes, and keys and values of 80 layers, 8 heads of 128.
TEST(LlamaRunTest, NetworksMustFitTheMemoryOfAModelledDevice) {
  const Words compare = {"compare", "llama-70b", "--kv-cache", "2048", "--with"};
  for (const std::string devices : {"a100", "tpu-v2,a100"}) {  // before the machine runs
    expect_refused(compare + Words{devices},
                   "--with a100: weights, inputs and outputs would take 139 GB, but the device has "
                   "40.0 GB; choose a smaller network, batch or cache, or leave the device out");
  }
  EXPECT_EQ(run_weft(compare + Words{"h200"}).code, 0);
  expect_refused(compare + Words{"h200", "--batch", "5"}, "would take 141 GB, ");
  expect_refused(compare + Words{"h200", "--batch", "5"},
                 " MB too much, but the device has 141 GB");
  EXPECT_EQ(run_weft(compare + Words{"h100:int8"}).code, 0);
}

TEST(LlamaRunTest, CachesMustFitTheNetwork) {
  expect_refused({"run", "gpt2", "--kv-cache", "5"}, "network gpt2: has no cache");
  expect_refused(kFast + Words{"--kv-cache", "4096"}, "must be 1 to 4095");
  expect_refused(kFast + Words{"--kv-cache", "0"}, "--kv-cache");
  expect_refused(kFast + Words{"--kv-cache", "x"}, "--kv-cache");
  expect_refused(kFast + Words{"--kv-cache", "5", "--sequence", "5"}, "decodes one token");
  expect_refused({"compare", "matmul", "4", "4", "4", "--kv-cache", "5"}, "--kv-cache");
}

}  // namespace
}  // namespace weft::test
