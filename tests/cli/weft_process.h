// Runs the built `weft` as a user would: arguments in, exit code and both streams out.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Finished {
  int code = -1;  // exit code, or -1 if it did not exit by itself
  std::string out;
  std::string err;
};

/// No shell in between: arguments reach the command as they are. `out_file` replaces stdout.
Finished run_weft(const Words& arguments, const char* out_file = nullptr);

}  // namespace weft::test
