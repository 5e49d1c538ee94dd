// What a user sees when RTL and C++ disagree: one line with the first difference, exit code 1, a
// waveform of the cycles around it, and none of the requested files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"
#include "tests/rtl/array_folder.h"

namespace weft::test {
namespace {

/// Runs in a temporary folder, because the command leaves its waveform in the current folder.
class FaultyCommandTest : public testing::Test {
 protected:
  FaultyCommandTest() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(std::filesystem::path(folder_.file("x")).parent_path());
    use_arrays_of(WEFT_TEST_ARRAYS);
  }
  ~FaultyCommandTest() override { std::filesystem::current_path(before_); }

  TemporaryFolder folder_;
  std::filesystem::path before_;
};

// The tile's bottom row is pushed first, in cycle W. PE(0,0) then hands on its shadow, 0, in cycle
// W+1. The faulty PE hands on the incoming weight instead: 7, the last of column 0.
TEST_F(FaultyCommandTest, LockstepReportsTheFirstDifferenceAndRecordsIt) {
  const std::vector<std::int8_t> b = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 7, 7, 7, 7};
  const std::string file = folder_.write("b.npy", npy("|i1", "(4, 4)", b));
  const std::string out = folder_.file("out.npy");
  const Finished finished =
      run_weft({"matmul", "5", "4", "4", "--machine", "tiny", "--memory.kind", "ideal", "--b", file,
                "--engine", "rtl", "--lockstep", "--out", out, "--vcd", folder_.file("all.vcd")});
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.out, "");
  EXPECT_TRUE(finished.err.starts_with("weft: lock-step: cycle ")) << finished.err;
  EXPECT_NE(
      finished.err.find(", PE row 0, column 0, weight_out_q: expected 0 (0x00), got 7 (0x07); "
                        "the cycles around it are in weft-lockstep.vcd\n"),
      std::string::npos)
      << finished.err;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1);
  EXPECT_TRUE(folder_.read("weft-lockstep.vcd").ends_with("\n"));
  EXPECT_EQ(folder_.count(), 2U) << "only b.npy and the waveform may be there";
}

TEST_F(FaultyCommandTest, WithoutLockstepTheReferenceFindsTheWrongResult) {
  const Finished finished =
      run_weft({"matmul", "5", "4", "4", "--machine", "tiny", "--engine", "rtl"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_NE(finished.err.find("differs from the cpu reference"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
