#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft {
namespace {

std::string line(const std::vector<std::string>& words) {
  return shell_line(words);
}

TEST(ShellLineTest, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(line({}), "");
  EXPECT_EQ(line({"run", "--array.rows", "64"}), "run --array.rows 64");
  EXPECT_EQ(line({"run", "my model.onnx"}), "run 'my model.onnx'");
  EXPECT_EQ(line({"it's", "", "$HOME", "a;b", "*"}), "'it'\\''s' '' '$HOME' 'a;b' '*'");
}

}  // namespace
}  // namespace weft
