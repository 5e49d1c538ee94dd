// `--engine rtl` with an array that is not built: the command's message, and the program named in
// WEFT_RTL_BUILDER.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"
#include "tests/rtl/array_folder.h"

namespace weft::test {
namespace {

/// The array folder is empty; no builder is set unless a test sets one.
class RtlBuilderTest : public testing::Test {
 protected:
  RtlBuilderTest() {
    use_arrays_of(arrays_.file("").c_str());
    ::unsetenv("WEFT_RTL_BUILDER");
  }
  ~RtlBuilderTest() override {
    ::unsetenv("WEFT_RTL_PATH");
    ::unsetenv("WEFT_RTL_BUILDER");
  }

  void use_builder(const std::string& lines) {
    const std::string file = scripts_.write("builder", "#!/bin/sh\n" + lines);
    ::chmod(file.c_str(), 0700);
    ::setenv("WEFT_RTL_BUILDER", file.c_str(), 1);
  }

  /// A builder script that copies an array built earlier.
  std::string copy() const {
    return "cp '" WEFT_BUILT_ARRAYS "'/$2-$1-$3.so '" + arrays_.file("") + "'\n";
  }

  static Finished product(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"matmul",    "9",    "10",       "11",
                                      "--machine", "tiny", "--engine", "rtl"};
    words.insert(words.end(), more.begin(), more.end());
    return run_weft(words);
  }

  /// Expects exit code 2, one line of error and no standard output.
  static void expect_refused(const Finished& finished, const std::string& part) {
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  }

  TemporaryFolder arrays_;
  TemporaryFolder scripts_;
};

TEST_F(RtlBuilderTest, WithoutAnyTheCommandSaysWhatToRun) {
  expect_refused(product(), "the 4x4 int8 array is not built; run tools/rtl.sh 4x4 int8,");
  expect_refused(product({"--accumulators.rows", "5000"}), "run tools/rtl.sh 4x4 int8 5000,");
  expect_refused(product({"--array.rows", "32", "--array.dtype", "bf16"}),
                 "run tools/rtl.sh 32x4 bf16,");
}

TEST_F(RtlBuilderTest, BuildsWhatIsMissingAndGoesOn) {
  use_builder("echo \"for $*\"\n" + copy());
  const Finished built = product();
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.err, "for 4x4 int8 4096\n") << "the builder's output must go to standard error";
  EXPECT_NE(built.out.find("equal to cpu, bit for bit"), std::string::npos);
  const Finished again = product();
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "") << "the builder must not run for an existing array";
}

TEST_F(RtlBuilderTest, AFailureIsOneLine) {
  use_builder("exit 7\n");
  expect_refused(product(), "ended with exit code 7");
  use_builder("exit 0\n");
  expect_refused(product(), "the 4x4 int8 array is not built");
  ::setenv("WEFT_RTL_BUILDER", "/nowhere/builder", 1);
  expect_refused(product(), "cannot run /nowhere/builder");
}

TEST_F(RtlBuilderTest, DoesNotBuildLargeArraysUnasked) {
  use_builder("exit 7\n");
  expect_refused(product({"--array.rows", "33", "--array.cols", "32"}),
                 "run tools/rtl.sh 33x32 int8,");
}

TEST_F(RtlBuilderTest, AFileThatIsNoLibraryOfThisProgramIsRefusedOrBuiltAgain) {
  arrays_.write("int8-4x4-4096.so", "not a library\n");
  expect_refused(product(), "tools/rtl.sh 4x4 int8");
  use_builder(copy());
  EXPECT_EQ(product().code, 0);
}

// What this computer lacks says nothing about the point, so the sweep keeps no row of it.
TEST_F(RtlBuilderTest, ASweepStopsAndGoesOnWhenTheArrayIsBuilt) {
  const std::string db = scripts_.file("points.db");
  const std::vector<std::string> sweep = {"sweep", "matmul",   "9",   "10",   "11", "--machine",
                                          "tiny",  "--engine", "rtl", "--db", db};
  expect_refused(run_weft(sweep), "the 4x4 int8 array is not built; run tools/rtl.sh 4x4 int8,");
  use_builder(copy());
  const Finished built = run_weft(sweep);
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_NE(built.out.find("1 point: 1 computed"), std::string::npos) << built.out;
  EXPECT_EQ(built.out.find("failed"), std::string::npos) << built.out;
}

TEST_F(RtlBuilderTest, FilesOfOtherNamesAreNoArrays) {
  for (const char* name : {"int8-4x4.so", "int8-4x4-.so", "int8-4x4-4096.so.old",
                           "int4-4x4-4096.so", "int8-99999999999x4-4096.so", "README"}) {
    arrays_.write(name, "");
  }
  expect_refused(product(), "the 4x4 int8 array is not built");
}

}  // namespace
}  // namespace weft::test
