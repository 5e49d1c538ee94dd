// Runs the built `weft` with arguments, and returns its exit code, stdout and stderr.
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
  int code = -1;  // exit code, or -1 if the process did not exit by itself
  std::string out;
  std::string err;
};

/// The `weft` to test: that of this build, or the one that the environment variable
/// WEFT_TEST_COMMAND names, such as one with sanitizers.
std::string command();

/// Starts `weft` without a shell, so that arguments reach it unchanged. Stdout goes to `out_file`
/// if it is given, else into the result.
Finished run_weft(const Words& arguments, const char* out_file = nullptr);

}  // namespace weft::test
