// What all fuzzing targets share. A target is a function that takes any bytes as the content of
// one kind of input. The code under test must either accept them or throw one of Weft's errors;
// any other exception, a crash, a leak or a broken promise ends the process.
#pragma once

#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weft::fuzz {

struct Target {
  std::string_view name;
  /// True if the bytes are accepted.
  bool (*run)(std::string_view bytes);
};

/// The targets of CMakeLists.txt, in its order.
std::span<const Target> targets();

/// Aborts with `what`, so that libFuzzer keeps the input.
[[noreturn]] inline void broken(std::string_view what) {
  std::cerr << "broken promise: " << what << '\n';
  std::abort();
}

inline void require(bool holds, std::string_view what) {
  if (!holds) broken(what);
}

/// Calls the function. Returns true if it ends, and false if it throws an Error, whose message must
/// be one line.
template <class Function>
bool accepts(Function&& function) {
  try {
    function();
    return true;
  } catch (const Error& error) {
    const std::string what = error.what();
    require(!what.empty() && what.find('\n') == std::string::npos,
            "a message of one line: " + what);
    return false;
  }
}

/// A file that exists only in memory, for readers that take a path.
class BytesFile {
 public:
  explicit BytesFile(std::string_view bytes);
  ~BytesFile();
  BytesFile(const BytesFile&) = delete;
  BytesFile& operator=(const BytesFile&) = delete;

  /// Names the file within this process.
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// A file with a name in the folder for temporary files, for readers that look at the name. It is
/// removed at the end, with what SQLite may have put beside it.
class NamedFile {
 public:
  NamedFile(std::string_view bytes, std::string_view suffix);
  ~NamedFile();
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// True if the text names a built-in network that takes longer to build and schedule than an input
/// may; digits-mlp and digits-cnn do not.
bool names_large_network(std::string_view text);

/// True if the text has a range of values (0..9+.01) with more than four digits. Shorter ranges
/// have a thousand values at most; longer ones may have a million, which takes seconds.
bool has_long_range(std::string_view text);

}  // namespace weft::fuzz
