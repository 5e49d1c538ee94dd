// The README's commands print what the README says. Each block fenced as `console` is one command
// and its output; lines that begin with "simulator" tell how fast this computer was and are
// skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/weft_process.h"

namespace weft {
namespace {

struct Example {
  std::vector<std::string> words;  // of the command
  std::string output;
};

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string comparable(const std::string& text) {
  std::istringstream in(text);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.starts_with("simulator")) kept += line + '\n';
  }
  return kept;
}

std::vector<Example> examples(const std::string& path) {
  std::ifstream in(path);
  std::vector<Example> found;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```console") {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && line.starts_with("$ ")) {
      found.push_back({split(line.substr(2)), ""});
    } else if (inside) {
      found.back().output += line + '\n';
    }
  }
  return found;
}

// `./tools/run.sh` without arguments runs `weft matmul`.
std::vector<std::string> arguments(const Example& example) {
  if (example.words.front() == "./tools/run.sh") return {"matmul"};
  return {example.words.begin() + 1, example.words.end()};
}

void expect_printed(const std::string& path, std::size_t least) {
  const std::vector<Example> found = examples(path);
  EXPECT_GE(found.size(), least);
  for (const Example& example : found) {
    SCOPED_TRACE(testing::PrintToString(example.words));
    if (!WEFT_WITH_RTL && std::ranges::find(example.words, "rtl") != example.words.end()) continue;
    const test::Finished finished = test::run_weft(arguments(example));
    EXPECT_EQ(comparable(finished.out + finished.err), comparable(example.output));
  }
}

TEST(ReadmeTest, CommandsPrintWhatItSays) {
  expect_printed("README.md", 5);
}

TEST(ReadmeTest, CommandsPrintWhatTheExplanationsSay) {
  expect_printed("docs/explain.md", 2);
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

TEST(ExamplesTest, AMachineOfOnesOwnRuns) {
  const auto run =
      test::run_weft({"matmul", "64", "64", "64", "--machine", "examples/small-tpu.ini"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("small-tpu: 16 x 16 bf16, 500 MHz"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace weft
