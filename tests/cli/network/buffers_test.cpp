// LeNet-5 with more and more unified buffer.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

/// With 8 KiB an image does not fit, so the search cuts it into bands of lines. That stays the best
/// where it fits, but there the search tries no bands of its own.
TEST(BuffersTest, MoreNeverCostsLeNetCycles) {
  std::uint64_t before = UINT64_MAX;
  for (const int kib : {4, 8, 16, 32, 64, 128}) {
    SCOPED_TRACE(kib);
    const nlohmann::json run = json_of({"run", "lenet5", "--machine", "tiny", "--engine",
                                        "analytic", "--unified_buffer.kib", std::to_string(kib)});
    const std::uint64_t cycles = run.at("cycles").at("total");
    EXPECT_LE(cycles, before);
    before = cycles;
  }
}

}  // namespace
}  // namespace weft::test
