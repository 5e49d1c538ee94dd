// The commands in README print the output that README shows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/console_examples.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft {
namespace {

using test::Words;
using test::operator+;

/// The working folder, which is the top of the source tree, as links in a folder of its own: what
/// an example writes stays there.
class LinkedTree {
 public:
  LinkedTree() : top_(std::filesystem::current_path()) {
    for (const auto& entry : std::filesystem::directory_iterator(top_)) {
      std::filesystem::create_symlink(entry.path(), links_.file(entry.path().filename().string()));
    }
    std::filesystem::current_path(links_.file("."));
  }
  ~LinkedTree() { std::filesystem::current_path(top_); }
  LinkedTree(const LinkedTree&) = delete;
  LinkedTree& operator=(const LinkedTree&) = delete;

 private:
  std::filesystem::path top_;
  test::TemporaryFolder links_;
};

// `./tools/run.sh` without arguments runs `weft matmul`.
void expect_printed(const std::string& path, std::size_t least) {
  std::vector<test::ConsoleExample> found = test::console_examples(path);
  const LinkedTree tree;
  EXPECT_GE(found.size(), least);
  for (test::ConsoleExample& example : found) {
    if (example.command == "./tools/run.sh") example.command = "weft matmul";
    test::expect_as_printed(example);
  }
}

/// The lines of the page's blocks fenced as `cpp`, without blanks at both ends and empty lines.
std::vector<std::string> cpp_lines(const std::string& path) {
  std::ifstream page(path);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    const bool fence = line.starts_with("```");
    if (fence) inside = line == "```cpp";
    const std::size_t first = line.find_first_not_of(' ');
    if (inside && !fence && first != std::string::npos) lines.push_back(line.substr(first));
  }
  return lines;
}

/// InstallTest builds and runs the example.
TEST(ReadmeTest, CppLinesAreThoseOfTheExample) {
  std::ostringstream text;
  text << std::ifstream("examples/from_cpp/main.cpp").rdbuf();
  const std::string example = text.str();
  for (const char* page : {"README.md", "docs/architecture.md"}) {
    const std::vector<std::string> lines = cpp_lines(page);
    EXPECT_GE(lines.size(), 5U) << page;
    for (const std::string& line : lines) {
      EXPECT_NE(example.find(line), std::string::npos) << page << ": " << line;
    }
  }
}

TEST(ReadmeTest, CommandsPrintWhatItSays) {
  expect_printed("README.md", 5);
}

TEST(ReadmeTest, CommandsPrintWhatThePageOnSweepsSays) {
  expect_printed("docs/sweep.md", 3);
}

TEST(ReadmeTest, CommandsPrintWhatTheTourSays) {
  expect_printed("docs/tour.md", 4);
}

TEST(ReadmeTest, CommandsPrintWhatTheExplanationsSay) {
  expect_printed("docs/explain.md", 2);
}

TEST(ReadmeTest, CommandsPrintWhatTheComparisonsSay) {
  expect_printed("docs/compare.md", 3);
}

TEST(ReadmeTest, CommandsPrintWhatThePageOnNetworksSays) {
  expect_printed("docs/networks.md", 2);
}

TEST(ReadmeTest, CommandsPrintWhatThePageOnEnergySays) {
  expect_printed("docs/energy.md", 1);
}

TEST(ReadmeTest, PrintsWhatTheScaleSimPageShows) {
  expect_printed("docs/scalesim.md", 3);
}

TEST(ExamplesTest, TheFirstProgramRunsAndIsCheckedOnEveryEngine) {
  for (const char* engine : {"fast", "stepped"}) {
    const auto run = test::run_weft(
        {"exec", "examples/first_program.weft", "--machine", "tiny", "--engine", engine});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("equal to cpu, bit for bit"), std::string::npos) << run.out;
  }
}

TEST(ExamplesTest, TheMissingDependenceIsAHazardOnASlowHostLink) {
  const auto run = test::run_weft({"exec", "examples/missing_dependence.weft", "--machine", "tiny",
                                   "--memory.kind", "split", "--host.gb_per_s", "0.01"});
  EXPECT_EQ(run.code, 3);
}

TEST(ExamplesTest, TheProofNeedsNoSlowLink) {
  const Words common = {"--machine", "tiny", "--prove"};
  const auto missing = test::run_weft(Words{"exec", "examples/missing_dependence.weft"} + common);
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("--prove: if instruction 0 (load"), std::string::npos) << missing.err;
  const auto first = test::run_weft(Words{"exec", "examples/first_program.weft"} + common);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("no timing of the units can race"), std::string::npos) << first.out;
}

TEST(ExamplesTest, AMachineOfOnesOwnRuns) {
  const auto run =
      test::run_weft({"matmul", "64", "64", "64", "--machine", "examples/small-tpu.ini"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("small-tpu: 16 x 16 bf16, 500 MHz"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace weft
