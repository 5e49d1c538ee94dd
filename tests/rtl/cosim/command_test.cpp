// The output and files of the command with `--engine rtl`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

std::vector<std::string> product(const char* dtype, const char* engine) {
  return {"matmul",        "9",   "10",       "11",  "--machine", "tiny",
          "--array.dtype", dtype, "--engine", engine};
}

// Cycles and bits are equal, so every byte of the waveform is equal.
TEST(RtlCommandTest, WaveformsOfSteppedAndRtlAreTheSameFile) {
  const TemporaryFolder folder;
  for (const char* dtype : {"int8", "bf16", "fp16"}) {
    SCOPED_TRACE(dtype);
    for (const char* engine : {"stepped", "rtl"}) {
      auto words = product(dtype, engine);
      words.insert(words.end(), {"--vcd", folder.file(engine)});
      const Finished finished = run_weft(words);
      ASSERT_EQ(finished.code, 0) << finished.err;
    }
    EXPECT_GT(folder.read("stepped").size(), 10000U);
    EXPECT_TRUE(folder.read("stepped") == folder.read("rtl"));
  }
}

// Lock-step compares while anything moves: at least while rows enter, at most the whole run.
TEST(RtlCommandTest, LockstepSaysHowManyCyclesItCompared) {
  for (const char* m : {"1", "5", "40"}) {
    SCOPED_TRACE(m);
    auto words = product("bf16", "rtl");
    words[1] = m;
    words.insert(words.end(), {"--lockstep", "--json", "-"});
    const Finished finished = run_weft(words);
    ASSERT_EQ(finished.code, 0) << finished.err;
    const auto report = nlohmann::json::parse(finished.out);
    EXPECT_EQ(report["engine"], "rtl");
    EXPECT_GE(report["simulator"]["lockstep_cycles"], report["cycles"]["array_active"]);
    EXPECT_LE(report["simulator"]["lockstep_cycles"], report["cycles"]["total"]);
  }
}

TEST(RtlCommandTest, AListOfWhatIsBuiltComesWithTheErrorForOtherArrays) {
  const Finished finished = run_weft({"matmul", "2", "3", "4", "--engine", "rtl"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.err.find("tools/rtl.sh 128x128 bf16") == std::string::npos, false)
      << finished.err;
  for (const char* size : {"4x4 int8", "8x8 bf16", "16x16 fp16"}) {
    EXPECT_NE(finished.err.find(size), std::string::npos) << finished.err;
  }
  auto words = product("int8", "rtl");
  words.insert(words.end(), {"--accumulators.rows", "5000"});
  const Finished rows = run_weft(words);
  EXPECT_EQ(rows.code, 2);
  EXPECT_NE(rows.err.find("5000"), std::string::npos) << rows.err;
  EXPECT_NE(rows.err.find("tools/rtl.sh 4x4 int8 5000"), std::string::npos) << rows.err;
}

}  // namespace
}  // namespace weft::test
