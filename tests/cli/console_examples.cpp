#include "tests/cli/console_examples.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace weft::test {
namespace {

constexpr const char* kPrelude = "weft() { '" WEFT_BINARY "' \"$@\"; }\nexec 2>&1 < /dev/null\n";

struct ClosePipe {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

std::string comparable(const std::string& text) {
  std::istringstream in(text);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.starts_with("simulator")) kept += line + '\n';
  }
  return kept;
}

}  // namespace

std::vector<ConsoleExample> console_examples(const std::string& path) {
  std::ifstream in(path);
  std::vector<ConsoleExample> found;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```console") {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && line.starts_with("$ ")) {
      found.push_back({line.substr(2), ""});
    } else if (inside) {
      found.back().output += line + '\n';
    }
  }
  return found;
}

std::string run_in_shell(const std::string& command) {
  const std::unique_ptr<std::FILE, ClosePipe> pipe(::popen((kPrelude + command).c_str(), "re"));
  if (pipe == nullptr) throw std::runtime_error("cannot start a shell");
  std::string printed;
  std::array<char, 4096> part = {};
  for (std::size_t n = 1; n > 0;) {
    n = std::fread(part.data(), 1, part.size(), pipe.get());
    printed.append(part.data(), n);
  }
  return printed;
}

void expect_as_printed(const ConsoleExample& example) {
  SCOPED_TRACE("$ " + example.command);
  if (!WEFT_WITH_RTL && example.command.find("rtl") != std::string::npos) return;
  EXPECT_EQ(comparable(run_in_shell(example.command)), comparable(example.output));
}

}  // namespace weft::test
