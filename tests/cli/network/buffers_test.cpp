// Networks on machines with more and more of something.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

std::uint64_t cycles(const std::string& network, const std::string& machine, const std::string& key,
                     int value) {
  const nlohmann::json run = json_of({"run", network, "--machine", machine, "--engine", "analytic",
                                      "--" + key, std::to_string(value)});
  return run.at("cycles").at("total");
}

/// With 8 KiB an image does not fit, so the search cuts it into bands of lines. That stays the best
/// where it fits, but there the search tries no bands of its own.
TEST(BuffersTest, MoreNeverCostsLeNetCycles) {
  std::uint64_t before = UINT64_MAX;
  for (const int kib : {4, 8, 16, 32, 64, 128}) {
    SCOPED_TRACE(kib);
    const std::uint64_t now = cycles("lenet5", "tiny", "unified_buffer.kib", kib);
    EXPECT_LE(now, before);
    before = now;
  }
}

/// On each smaller machine a batch begins with what its half has there. With other schedules of the
/// half, 4 MiB once took 4 % more cycles than 2 MiB.
TEST(BuffersTest, MoreNeverCostsABatchOfAShortProgramCycles) {
  std::uint64_t before = UINT64_MAX;
  for (const int kib : {512, 1024, 2048, 4096, 16384}) {
    SCOPED_TRACE(kib);
    const nlohmann::json run =
        json_of({"conv", "--input", "4,32,28,28", "--filters", "32", "--kernel", "1", "--engine",
                 "analytic", "--unified_buffer.kib", std::to_string(kib)});
    const std::uint64_t now = run.at("cycles").at("total");
    EXPECT_LE(now, before);
    before = now;
  }
}

/// An image of 32 channels has rows of 32 bytes, and the array has rows of 256.
TEST(BuffersTest, ImagesOfFewChannelsCrossTheLinkAlmostDensely) {
  const nlohmann::json run =
      json_of({"conv", "--input", "4,32,28,28", "--filters", "32", "--kernel", "1", "--machine",
               "tpu-v1", "--engine", "analytic"});
  constexpr double kImage = 4 * 32 * 28 * 28;  // bytes of int8
  for (const char* way : {"input_bytes", "output_bytes"}) {
    const auto bytes = run.at("traffic").at(way).get<double>();
    EXPECT_GE(bytes, kImage) << way;
    EXPECT_LE(bytes, 1.25 * kImage) << way;
  }
}

/// From each value to the next one, the search once lost 31, 17, 8 and 2 %.
TEST(BuffersTest, MoreDoesNotCostCyclesWhereItOnceDid) {
  struct Steps {
    std::string network, machine, key;
    std::vector<int> values;
  };
  const std::vector<Steps> all = {
      {"vit-s", "tpu-v1", "weight_fifo.tiles", {8, 16}},
      {"gpt2", "tpu-v1", "weight_fifo.tiles", {8, 16}},
      {"mlp0", "tpu-v2", "weight_fifo.tiles", {2, 3}},
      {"resnet50", "tpu-v1", "accumulators.rows", {2048, 4096}},
  };
  for (const Steps& each : all) {
    SCOPED_TRACE(each.network);
    std::uint64_t before = UINT64_MAX;
    for (const int value : each.values) {
      const std::uint64_t now = cycles(each.network, each.machine, each.key, value);
      EXPECT_LE(now, before);
      before = now;
    }
  }
}

}  // namespace
}  // namespace weft::test
