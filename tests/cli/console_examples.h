// Reads the commands of a Markdown page and the output that the page shows for them. They stand in
// blocks fenced as `console`. A line that begins with "$ " is a shell command; the lines below it
// are its output.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

struct ConsoleExample {
  std::string command;
  std::string output;
};

/// Returns the examples in page order. An unreadable page has none.
std::vector<ConsoleExample> console_examples(const std::string& path);

/// Returns stdout and stderr of `command` as one text. `weft` in it runs the built binary.
std::string run_in_shell(const std::string& command);

/// Runs the command and compares its output, ignoring blanks at the ends of lines. Ignores lines
/// that begin with "simulator", because they give this computer's speed. Skips commands that need
/// the RTL if the build has none.
void expect_as_printed(const ConsoleExample& example);

}  // namespace weft::test
