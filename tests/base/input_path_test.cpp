#include "base/input_path.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace weft {
namespace {

std::optional<std::string> read(const std::string& bytes, std::size_t most) {
  std::istringstream in(bytes);
  return read_text(in, most);
}

TEST(ReadTextTest, GivesAllThatIsThereWithoutAByteOrderMark) {
  EXPECT_EQ(read("", 0), "");
  EXPECT_EQ(read("a = 1\n", 6), "a = 1\n");
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a",
                 4),
            "a");
  EXPECT_EQ(read("a\xEF\xBB\xBF", 4), "a\xEF\xBB\xBF");
  const std::string parts(100'000, 'x');  // longer than what is read at a time
  EXPECT_EQ(read(parts, parts.size()), parts);
}

TEST(ReadTextTest, RefusesMoreThanTheMost) {
  EXPECT_EQ(read("a", 0), std::nullopt);
  const std::string parts(100'000, 'x');
  EXPECT_EQ(read(parts, parts.size() - 1), std::nullopt);
}

TEST(SameFileTest, AnEmptyNameIsNoFile) {
  EXPECT_TRUE(same_file("a", "./a"));
  EXPECT_TRUE(same_file("", ""));
  EXPECT_FALSE(same_file("a", ""));
  EXPECT_FALSE(same_file("", "a"));
}

}  // namespace
}  // namespace weft
