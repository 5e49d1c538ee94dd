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
