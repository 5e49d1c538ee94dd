// The commands that a Markdown page shows, and what it says that they print. A block fenced as
// `console` holds them: a line that begins with "$ " is a command for the shell, the lines below it
// are its output.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

struct ConsoleExample {
  std::string command;
  std::string output;
};

/// In the order of the page; an unreadable page has none.
std::vector<ConsoleExample> console_examples(const std::string& path);

/// What `command` prints, both streams as one, with `weft` for the built binary.
std::string run_in_shell(const std::string& command);

/// Runs the command and compares, without blanks at the ends of lines and without the lines that
/// begin with "simulator": they tell how fast this computer was. Skips what needs the RTL where the
/// build has none.
void expect_as_printed(const ConsoleExample& example);

}  // namespace weft::test
