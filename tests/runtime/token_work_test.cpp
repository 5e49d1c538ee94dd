// What decoding reads from memory, against counts of the released models and a published bound.
#include "runtime/workload/token_work.h"

#include <gtest/gtest.h>

#include "models/networks/networks.h"

namespace weft::runtime {
namespace {

constexpr double k7bWeights = 6'738'415'616.0 - 32000.0 * 4096;

TokenWork work_of(const std::string& name, const networks::NetworkOptions& options) {
  NetworkRequest request;
  request.model = name;
  request.batch = options.batch;
  request.sequence = options.sequence;
  request.kv_cache = options.kv_cache;
  return token_work(request, networks::build_network(name, options)).value();
}

MachineConfig machine(double bytes_per_s) {
  MachineConfig config;
  config.dtype = ElementType::kBf16;
  config.memory_kind = MemoryKind::kShared;
  config.memory_bytes_per_s = static_cast<std::uint64_t>(bytes_per_s);
  return config;
}

TEST(TokenWorkTest, DecodingReadsAllWeightsAndTheCache) {
  const TokenWork work = work_of("llama-7b", {.batch = 3, .kv_cache = 2048});
  EXPECT_EQ(work.tokens, 3U);
  EXPECT_EQ(static_cast<double>(work.weights), k7bWeights);
  EXPECT_EQ(work.cached, 3ULL * 2 * 32 * 2048 * 4096);
  EXPECT_EQ(work.weight_bytes(machine(1e9)), 2 * k7bWeights);
  // The 70 B model shares each key and value between eight heads.
  EXPECT_EQ(work_of("llama-70b", {.kv_cache = 100}).cached, 2ULL * 80 * 100 * 1024);
}

TEST(TokenWorkTest, AllTokensOfAPromptShareTheWeights) {
  const TokenWork work = work_of("llama-7b", {.batch = 2, .sequence = 50});
  EXPECT_EQ(work.tokens, 100U);
  EXPECT_EQ(work.cached, 0U);
  EXPECT_DOUBLE_EQ(work.memory_seconds(machine(700e9)).value(), 2 * k7bWeights / 700e9);
}

// Eight chips of 819 GB/s, batch 96, cache 2048: published with a bound of 5,395 tokens a second.
// It counts the embedding as weights, 0.2 % of the bytes.
TEST(TokenWorkTest, ThePublishedBoundOfEightChipsIsMet) {
  const TokenWork work = work_of("llama-7b", {.batch = 96, .kv_cache = 2048});
  const double seconds = work.memory_seconds(machine(8 * 819e9)).value();
  EXPECT_NEAR(96 / seconds, 5395, 0.004 * 5395);
}

// The cache comes through the host link; the compiler may bring weights through both channels.
TEST(TokenWorkTest, ASplitMemoryReadsWeightsThroughBothChannels) {
  const TokenWork work{1, 1000, 500};
  MachineConfig config = machine(100);
  config.dtype = ElementType::kInt8;
  EXPECT_DOUBLE_EQ(work.memory_seconds(config).value(), 1500.0 / 100);
  config.memory_kind = MemoryKind::kSplit;
  config.host_bytes_per_s = 20;
  EXPECT_DOUBLE_EQ(work.memory_seconds(config).value(), 25);  // the cache alone
  config.host_bytes_per_s = 80;
  EXPECT_DOUBLE_EQ(work.memory_seconds(config).value(), 1500.0 / 180);
  config.memory_kind = MemoryKind::kIdeal;
  EXPECT_EQ(work.memory_seconds(config), std::nullopt);
}

TEST(TokenWorkTest, RatesHaveNoSmallPrefixes) {
  EXPECT_EQ(token_rate(0.25), "0.25 tokens/s");
  EXPECT_EQ(token_rate(24.5), "24.5 tokens/s");
  EXPECT_EQ(token_rate(3390), "3.39 ktokens/s");
}

TEST(TokenWorkTest, OtherNetworksGiveNoTokens) {
  NetworkRequest request;
  request.model = "gpt2";
  EXPECT_EQ(token_work(request, networks::build_network("gpt2")), std::nullopt);
  request.model = "llama-7b.onnx";
  request.is_file = true;
  EXPECT_EQ(token_work(request, networks::build_network("gpt2")), std::nullopt);
}

}  // namespace
}  // namespace weft::runtime
