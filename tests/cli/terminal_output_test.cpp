#include "cli/terminal_output.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "report/text.h"

namespace weft::cli {
namespace {

std::string written(const std::string& text) {
  std::stringbuf target;
  TerminalOutput(target) << text << std::flush;
  return target.str();
}

TEST(TerminalOutputTest, KeepsTextLineEndsAndTheColorsOfAReport) {
  const report::Style style(true);
  for (const std::string& text :
       {std::string("two words\n\tand more"), std::string("12 \xC2\xB5s, \xE2\x86\x92"),
        style.bold("a") + style.dim("b") + style.good("c") + style.bad("d")}) {
    EXPECT_EQ(written(text), text);
  }
}

TEST(TerminalOutputTest, WritesNothingThatControlsATerminal) {
  EXPECT_EQ(written("title \033]0;owned\a."), "title ?]0;owned?.");
  EXPECT_EQ(written("clear \033[2J"), "clear ?[2J");
  EXPECT_EQ(written("\033"), "?");
  EXPECT_EQ(written("back\b\r\x7F"), "back???");
  EXPECT_EQ(written("eight bits \xC2\x9B"
                    "2J"),
            "eight bits ?\x9B"
            "2J");
  EXPECT_EQ(written(std::string("zero \0.", 7)), "zero ?.");
}

TEST(TerminalOutputTest, TreatsSingleCharactersAlike) {
  std::stringbuf target;
  TerminalOutput out(target);
  out.put('a').put('\033').put('\n');
  EXPECT_EQ(target.str(), "a?\n");
}

TEST(TerminalOutputTest, FailsWhereItsTargetFails) {
  struct Full : std::streambuf {
  } full;
  TerminalOutput out(full);
  out << "a";
  EXPECT_FALSE(out);
}

}  // namespace
}  // namespace weft::cli
