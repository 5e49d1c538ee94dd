// Level 0 beside the table of docs/bounds.md, whose cycles are those of level 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>

#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

std::uint64_t number(std::string text) {
  std::erase(text, ',');
  return std::stoull(text);
}

TEST(LevelZeroTest, TakesAtMostHalfAsLongAgainAsTheTableOfTheBounds) {
  const std::pair<const char*, const char*> columns[] = {
      {"tpu-v2", "1"}, {"tpu-v2", "16"}, {"tpu-v1", "1"}, {"tpu-v1", "16"}};
  const std::string cell = R"( ([0-9,]+): [0-9.]+ \|)";
  const std::regex row(R"(\| ([a-z0-9-]+) \|)" + cell + cell + cell + cell);
  std::ifstream doc(WEFT_SOURCE_DIR "/docs/bounds.md");
  std::size_t rows = 0;
  for (std::string line; std::getline(doc, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    ++rows;
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      const auto& [machine, batch] = columns[i];
      const Words command = {"run", found[1],   "--machine", machine,      "--batch",
                             batch, "--engine", "analytic",  "--optimize", "0"};
      const std::uint64_t cycles = json_of(command).at("cycles").at("total");
      EXPECT_LE(2 * cycles, 3 * number(found[i + 2])) << found[1] << ' ' << machine << ' ' << batch;
    }
  }
  EXPECT_EQ(rows, 10U);
}

}  // namespace
}  // namespace weft::test
