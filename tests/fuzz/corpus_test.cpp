// Every target over its corpus, which holds what fuzzing found: inputs that reach different code,
// and inputs that once crashed. libFuzzer goes on from there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

class CorpusTest : public testing::TestWithParam<Target> {};

// If a target accepts nothing of its corpus, its inputs do not get beyond the first checks.
TEST_P(CorpusTest, HasInputsThatAreAcceptedAndRefused) {
  std::map<bool, int> outcomes;
  for (const auto& entry : fs::directory_iterator(fs::path(WEFT_FUZZ_CORPUS) / GetParam().name)) {
    SCOPED_TRACE(entry.path().string());
    ++outcomes[GetParam().run(content_of(entry.path()))];
  }
  EXPECT_GE(outcomes[true], 1);
  EXPECT_GE(outcomes[false], 1);
}

INSTANTIATE_TEST_SUITE_P(Targets, CorpusTest, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace weft::fuzz
