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

TEST(PrintableTest, KeepsWhatCanBeSeen) {
  EXPECT_EQ(printable(""), "''");
  EXPECT_EQ(printable("a b~"), "'a b~'");
  EXPECT_EQ(printable("\xC3\xA9t\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80"),
            "'\xC3\xA9t\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80'");
}

TEST(PrintableTest, EscapesControlsAndWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\n\x1B[2J\x7F"), R"('a\x0a\x1b[2J\x7f')");
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"('\x00')");
  EXPECT_EQ(printable("\xC2\x85"), R"('\xc2\x85')");  // U+0085, a C1 control
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "a"),
            R"('\xe2\x80\xaea')");                                    // right to left
  EXPECT_EQ(printable("\xC0\xAF"), R"('\xc0\xaf')");                  // '/' in two bytes
  EXPECT_EQ(printable("\xE0\x80\xAF"), R"('\xe0\x80\xaf')");          // in three
  EXPECT_EQ(printable("\xED\xA0\x80"), R"('\xed\xa0\x80')");          // half of a pair
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), R"('\xf4\x90\x80\x80')");  // above U+10FFFF
  EXPECT_EQ(printable("\xE9t\xE9"), R"('\xe9t\xe9')");                // Latin-1
  EXPECT_EQ(printable("\xE4\xB8"), R"('\xe4\xb8')");                  // cut short
}

TEST(VisibleTextTest, KeepsAllOfTheText) {
  EXPECT_EQ(visible_text("a b"), "a b");
  EXPECT_EQ(visible_text(std::string(100, 'a') + "\n'\xFF"),
            std::string(100, 'a') + R"(\x0a'\xff)");
}

TEST(PrintableTest, CutsAfter48BytesBetweenCharacters) {
  EXPECT_EQ(printable(std::string(48, 'a')), "'" + std::string(48, 'a') + "'");
  EXPECT_EQ(printable(std::string(49, 'a')), "'" + std::string(48, 'a') + "...'");
  EXPECT_EQ(printable(std::string(47, 'a') + "\xC3\xA9"), "'" + std::string(47, 'a') + "...'");
}

}  // namespace
}  // namespace weft
